"""One request to a model in full, and the key under which its answers are kept."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

_VERSION = 1  # of the form of the key
_TEMPLATE_TOKENS = 32  # what a chat template puts around each message, at most


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Everything that the answers depend on. `seed` is part of it even where the provider takes none.

    Without it, several candidates of one prompt would all be given the same stored answer.
    """

    model: str
    server: str  # host, port and path of the API, without credentials; empty: the provider's own
    messages: tuple[Mapping[str, str], ...]
    seed: int
    n: int = 1
    parameters: Mapping[str, Any] = field(default_factory=dict)  # temperature, max_tokens, …

    def key(self) -> str:
        """SHA-256 of the canonical form, hexadecimal."""
        whole = {"version": _VERSION, **asdict(self)}
        text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()


def most_prompt_tokens(messages: tuple[Mapping[str, str], ...]) -> int:
    """No tokenizer makes more tokens than the text has bytes: a bound that needs no tokenizer."""
    return sum(len(message["content"].encode()) + _TEMPLATE_TOKENS for message in messages)


def server_of(provider: str, api_base: str | None) -> str:
    """Where the requests to a provider go, as its variables say; nothing that is secret."""
    names = (f"{provider.upper()}_API_BASE", f"{provider.upper()}_BASE_URL")
    address = api_base or next((value for name in names if (value := os.environ.get(name))), "")
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    return f"{parts.hostname or ''}{port}{parts.path.rstrip('/')}"

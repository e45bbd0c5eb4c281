"""What a user is told about a model that nobody knows: near matches first, then examples."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.errors import UnknownModelError
from afterburner.agent.models.prompts.proposer import MODEL_EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_SHOWN = 3


def unknown_model(
    model: str, reason: str = "", *, providers: Iterable[str] = (), models: Iterable[str] = ()
) -> UnknownModelError:
    """Make the error for a name that fits nothing, with what it may have been meant to be.

    `providers` are what stands before a slash, `models` whole names.
    """
    if Path(model).is_dir():
        return UnknownModelError(
            f"{model!r} is a folder. Serve the model in it and name it hosted_vllm/NAME (docs/models.md), or, "
            f"with a GPU, give --model vllm:{model}."
        )
    provider, slash, rest = model.partition("/")
    near = difflib.get_close_matches(model, list(models), n=_MOST_SHOWN)
    if slash:
        near = [f"{each}/{rest}" for each in difflib.get_close_matches(provider, list(providers), n=_MOST_SHOWN)]
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    because = f": {reason}" if reason else ""
    return UnknownModelError(f"Unknown model {model!r}{because}.{meant} Examples: {MODEL_EXAMPLES}.")

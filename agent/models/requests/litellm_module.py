"""LiteLLM, imported so that it fetches nothing, reads no `.env` file, prints and uploads nothing."""

from __future__ import annotations

import logging
import os
import sys
import threading
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from afterburner.agent.errors import ProposerError
from afterburner.agent.models.requests import litellm_clients
from afterburner.sandbox.extras import install_command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

_AT_ITS_IMPORT = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}
_importing = threading.Lock()


def require_litellm() -> None:
    """Look whether LiteLLM is installed, without importing it.

    Raises:
        ProposerError: it is not.
    """
    if find_spec("litellm") is None:
        raise ProposerError(
            "A language model needs LiteLLM, which is not installed. Use `--model rules`, which needs no model, or "
            f"install it: {install_command('llm')}"
        )


def import_litellm() -> ModuleType:
    """Import LiteLLM, which takes seconds the first time.

    What it is told then is left alone where somebody else in this process has imported it, or changes it later.

    Raises:
        ProposerError: it is not installed.
    """
    require_litellm()
    with _importing:
        is_ours = "litellm" not in sys.modules
        with _set(_AT_ITS_IMPORT):
            litellm: Any = import_module("litellm")
        if is_ours:
            litellm.telemetry = False
            litellm.suppress_debug_info = True
            for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "litellm"):
                logging.getLogger(name).setLevel(logging.CRITICAL)
        litellm_clients.install(litellm)
    return litellm  # type: ignore[no-any-return]  # it is one


@contextmanager
def _set(variables: dict[str, str]) -> Iterator[None]:
    """Set variables of the environment that are not set, for as long as the block runs."""
    added = {name: value for name, value in variables.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)

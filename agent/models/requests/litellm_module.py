"""LiteLLM, imported so that it fetches nothing, reads no `.env` file, prints and uploads nothing."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from afterburner.agent.models.requests.redirects import stay_with_the_host
from afterburner.agent.models.requests.responses import read_no_further

if TYPE_CHECKING:
    from types import ModuleType


def import_litellm() -> ModuleType:
    """Import LiteLLM, which takes seconds the first time."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    os.environ.pop("LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD", None)  # prints prompts and answers where the report goes
    import litellm  # noqa: PLC0415 - takes seconds

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    stay_with_the_host()
    read_no_further()
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "litellm"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm

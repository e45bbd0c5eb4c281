"""Finds out, before a request, that a vLLM server does not serve the model that it would be asked for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import httpx

from afterburner.agent.models.requests.litellm_clients import using
from afterburner.agent.models.requests.litellm_module import import_litellm
from afterburner.agent.models.requests.refusals import RefusedError

if TYPE_CHECKING:
    from afterburner.sandbox import CancelToken

LONGEST_S = 3.0
_PROVIDER = "hosted_vllm"  # llama.cpp, LM Studio and others answer whatever name they are asked for
_OWNER = "vllm"
_MOST_NAMES = 5
_LONGEST_NAME = 100


def other_names(model: str, stop: CancelToken) -> tuple[str, ...]:
    """What a server serves in place of a model; empty: it serves the model, or that is not known.

    Only vLLM's list says so (`GET /v1/models`), which has the adapters, too: it turns any other name away. The list of
    `transformers serve`, say, has what lies in a cache, and it serves other models, too; so the server is first asked
    whether it is vLLM (`GET /version`), and the list has to say so, too.

    Args:
        model: as the user named it.
        stop: ends the waiting.
    """
    litellm = import_litellm()
    name, provider, key, address = litellm.get_llm_provider(model)
    if provider != _PROVIDER or not address:
        return ()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    api = address.rstrip("/")
    try:
        with using(litellm, stop):
            get = partial(litellm.client_session.get, headers=headers, timeout=LONGEST_S)
            if "version" not in get(f"{api.removesuffix('/v1')}/version").raise_for_status().json():
                return ()
            listed = get(f"{api}/models").raise_for_status().json()["data"]
        served = [each["id"] for each in listed if each["owned_by"] == _OWNER]
    except (httpx.HTTPError, httpx.InvalidURL, RefusedError, OSError, ValueError, LookupError, TypeError):
        return ()  # told by the request, if it matters
    if name in served or len(served) < len(listed) or not all(isinstance(each, str) for each in served):
        return ()
    return tuple(each[:_LONGEST_NAME] for each in served[:_MOST_NAMES])

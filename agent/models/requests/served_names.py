"""Finds out, before a request, that a server does not have the model that it would be asked for: vLLM, and others."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import httpx

from afterburner.agent.models.requests.litellm_clients import using
from afterburner.agent.models.requests.litellm_module import import_litellm
from afterburner.agent.models.requests.refusals import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.sandbox import CancelToken

LONGEST_S = 3.0
_LONGEST_OF_HINT_S = 1.0  # for what is only a hint
_PROVIDER = "hosted_vllm"  # llama.cpp, LM Studio and others answer whatever name they are asked for
_OWNER = "vllm"
OF_ONES_OWN = (_PROVIDER, "lm_studio", "openai")  # OpenAI's protocol, at an address that the user gives
_LATEST = ":latest"  # what Ollama lists for a name without a tag
_MOST_NAMES = 5
_LONGEST_NAME = 100
_SAYS_NOTHING = (httpx.HTTPError, httpx.InvalidURL, RefusedError, OSError, ValueError, LookupError, TypeError)


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
    try:
        with using(litellm, stop):
            get = _getting(litellm, key, LONGEST_S)
            if "version" not in get(f"{address.rstrip('/').removesuffix('/v1')}/version").raise_for_status().json():
                return ()
            listed = _listed(get, address)
        served = [each["id"] for each in listed if each["owned_by"] == _OWNER]
    except _SAYS_NOTHING:
        return ()  # told by the request, if it matters
    if name in served or len(served) < len(listed) or not all(isinstance(each, str) for each in served):
        return ()
    return _shown(served)


def unlisted(model: str, stop: CancelToken) -> tuple[str, ...]:
    """What a server of the user's own lists (`GET /v1/models`) where that lacks the model; empty: it is not known to.

    It is a hint, and no proof: such a server may load the model when it is asked, or answer in the name of another.

    Args:
        model: as the user named it.
        stop: ends the waiting.
    """
    litellm = import_litellm()
    name, key, address = _own_server(litellm, model)
    if not address:
        return ()
    try:
        with using(litellm, stop):
            served = [each["id"] for each in _listed(_getting(litellm, key, _LONGEST_OF_HINT_S), address)]
    except _SAYS_NOTHING:
        return ()
    if not all(isinstance(each, str) for each in served) or {name, name + _LATEST} & set(served):
        return ()
    return _shown(served)


def lacks_v1(model: str, stop: CancelToken) -> bool:
    """Whether a server of the user's own has nothing at its address, and its list of models below `/v1` of that.

    Args:
        model: as the user named it.
        stop: ends the waiting.
    """
    litellm = import_litellm()
    _, key, address = _own_server(litellm, model)
    if not address or ends_in_v1(address):
        return False
    try:
        with using(litellm, stop):
            get = _getting(litellm, key, _LONGEST_OF_HINT_S)
            is_nothing_there = get(f"{address.rstrip('/')}/models").status_code == httpx.codes.NOT_FOUND
            return is_nothing_there and bool(_listed(get, f"{address.rstrip('/')}/v1"))
    except _SAYS_NOTHING:
        return False


def ends_in_v1(address: str) -> bool:
    """Whether an address is of the usual form."""
    return address.rstrip("/").endswith("/v1")


def _own_server(litellm: Any, model: str) -> tuple[str, str | None, str]:
    """The name of a model on a server of the user's own, the key and the address; no address: it is on another one."""
    name, provider, key, address = litellm.get_llm_provider(model)
    if provider == "openai":
        address = address or os.environ.get("OPENAI_API_BASE") or os.environ.get("OPENAI_BASE_URL")
    key = key or os.environ.get(f"{provider.upper()}_API_KEY")
    return name, key, (address or "") if provider in OF_ONES_OWN else ""


def _getting(litellm: Any, key: str | None, longest_s: float) -> Callable[[str], httpx.Response]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return partial(litellm.client_session.get, headers=headers, timeout=longest_s)


def _listed(get: Callable[[str], httpx.Response], address: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = get(f"{address.rstrip('/')}/models").raise_for_status().json()["data"]
    return found


def _shown(names: list[str]) -> tuple[str, ...]:
    return tuple(each[:_LONGEST_NAME] for each in names[:_MOST_NAMES])

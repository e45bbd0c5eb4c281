"""One language model as LiteLLM knows it: where it is, what it costs, what it takes."""

from __future__ import annotations

import os
import threading
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from afterburner.agent.errors import ProposerError, UnknownModelError
from afterburner.agent.models.prompts.unknown_model import unknown_model
from afterburner.agent.models.requests.known_keys import missing_variable
from afterburner.agent.models.requests.litellm_module import import_litellm, require_litellm
from afterburner.agent.models.requests.prices import Price, look_up
from afterburner.agent.models.requests.request import server_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

_KEYS = ("API_KEY", "TOKEN")  # suffixes of variables that hold an API key
_looking = threading.Lock()
_HAVE_NO_ADDRESS = ("hosted_vllm", "lm_studio")  # providers of which LiteLLM knows no address to fall back on


@dataclass(frozen=True, slots=True)
class Model:
    """What can be known of a model without asking it."""

    name: str  # as the user gave it
    server: str
    price: Price | None
    max_output_tokens: int | None
    takes: frozenset[str]  # parameters of OpenAI's protocol


def find_model(name: str) -> Model:
    """Find out, without a request, whether and how a model can be asked.

    Raises:
        UnknownModelError: LiteLLM does not know the provider, or no model is named.
        ProposerError: its key, or the address of its server, is not in the environment.
    """
    require_litellm()
    if (variable := missing_variable(name)) is not None:  # the most frequent mistake is told at once
        raise _needs_key(name, [variable])
    litellm = import_litellm()
    bare_name, provider, api_base = _route(litellm, name)
    if not bare_name:
        raise UnknownModelError(f"{name} names a provider and no model.")
    missing = _missing_variables(litellm, name)
    if any(key.endswith(_KEYS) for key in missing):  # addresses have defaults, clouds other logins
        raise _needs_key(name, missing)
    if provider in _HAVE_NO_ADDRESS and not api_base:
        variable = f"{provider.upper()}_API_BASE"
        raise ProposerError(
            f"{name} needs the address of its server: set {variable}, for example to http://localhost:8000/v1."
        )
    if api_base and urlsplit(api_base).scheme not in ("http", "https"):
        variable = f"{provider.upper()}_API_BASE"
        raise ProposerError(
            f"{name}: the address of its server has to begin with http:// or https://; set {variable}, for example to "
            "http://localhost:8000/v1."
        )
    known = look_up(litellm, bare_name, provider)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pydantic's, on types of LiteLLM's
        takes = litellm.get_supported_openai_params(model=bare_name, custom_llm_provider=provider) or ()
    server = server_of(provider, api_base)
    return Model(name, server, known.price, known.max_output_tokens, frozenset(takes))


def _needs_key(name: str, variables: Sequence[str]) -> ProposerError:
    local = " A local server takes any value." if os.environ.get("OPENAI_API_BASE") else ""
    return ProposerError(f"{name} needs a key: set {' or '.join(variables)} in the environment.{local}")


def _route(litellm: ModuleType, name: str) -> tuple[str, str, str | None]:
    """Give the provider's name for the model, the provider, and the address of its API where it is known."""
    try:
        bare_name, provider, _, api_base = litellm.get_llm_provider(name)
    except litellm.BadRequestError:
        raise unknown_model(
            name,
            "LiteLLM knows no provider for it",
            providers=[each.value for each in litellm.LlmProviders],
            models=litellm.model_list,
        ) from None
    return str(bare_name), str(provider), api_base


def key_variable(name: str) -> str | None:
    """The variable of the environment that LiteLLM reads a model's key from; None: it is set, or there is none.

    Raises:
        UnknownModelError: LiteLLM does not know the provider.
    """
    litellm = import_litellm()
    _route(litellm, name)
    return next((key for key in _missing_variables(litellm, name) if key.endswith(_KEYS)), None)


def _missing_variables(litellm: ModuleType, name: str) -> list[str]:
    """What LiteLLM looks for in the environment and does not find. A key that is empty counts as missing, too."""
    empty = [key for key, value in os.environ.items() if key.endswith(_KEYS) and not value.strip()]
    with _looking:
        found = {key: os.environ.pop(key, "") for key in empty}
        try:
            return list(litellm.validate_environment(name)["missing_keys"])
        finally:
            os.environ.update(found)

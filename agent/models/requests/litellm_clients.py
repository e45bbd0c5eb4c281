"""Hands our own HTTP client to LiteLLM for our calls, and for nobody else's.

LiteLLM takes clients from three attributes of its module: `client_session`, `module_level_client` and its cache of
clients. (Its parameter `client` is not enough: some providers make further requests without it, and others want a
client that knows their addresses and keys.) The module gets a class of ours, in which these attributes give our client
inside `using`, and everywhere else what they give without us. Whoever sets them sets them for everyone but us.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from afterburner.agent.models.requests.guarded_client import GuardedClient
from afterburner.agent.models.requests.refusals import UnguardedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.sandbox import CancelToken

_HTTP_HANDLERS = "httpx_client"  # what the names of LiteLLM's own handlers begin with in its cache
_client_of_call: ContextVar[GuardedClient | None] = ContextVar("client_of_call", default=None)


def install(litellm: ModuleType) -> None:
    """Make the three attributes give our client inside `using`; done once."""
    if type(litellm) is ModuleType:
        litellm.__class__ = _ScopedModule


@contextmanager
def using(litellm: Any, stop: CancelToken) -> Iterator[None]:
    """Let LiteLLM make the calls of this block by a client of their own, whose connections `stop` ends.

    Raises:
        UnguardedError: LiteLLM would use another one.
    """
    with GuardedClient(**_options(litellm)) as client:
        token = _client_of_call.set(client)
        try:
            if litellm.client_session is not client:
                raise UnguardedError
            with stop.on_cancel(client.stop):
                yield
        finally:
            _client_of_call.reset(token)


def _scoped(name: str, of_call: Callable[[GuardedClient], object]) -> property:
    """An attribute of a module, which in our calls is what `of_call` makes of their client."""

    def get(module: ModuleType) -> object:
        client = _client_of_call.get()
        if client is not None:
            return of_call(client)
        if name in module.__dict__:
            return module.__dict__[name]
        return module.__getattr__(name)  # LiteLLM makes some when they are first asked for

    def put(module: ModuleType, value: object) -> None:
        module.__dict__[name] = value

    def delete(module: ModuleType) -> None:
        if name not in module.__dict__:
            raise AttributeError(name)
        del module.__dict__[name]

    return property(get, put, delete)


def _handler_of(client: GuardedClient) -> Any:
    return _handlers().HTTPHandler(client=client)


class _CacheOfCall:
    """LiteLLM's cache of clients as our calls see it: it holds nothing but their client."""

    def __init__(self, client: GuardedClient) -> None:
        self._client = client

    def get_cache(self, key: str, **_options: Any) -> Any:
        return _handler_of(self._client) if key.startswith(_HTTP_HANDLERS) else None

    def set_cache(self, key: str, value: object, **options: Any) -> None:
        """Keep nothing: a client that was made in our call ends with it."""


class _ScopedModule(ModuleType):
    """LiteLLM, with clients that depend on who asks for them."""

    client_session = _scoped("client_session", lambda client: client)
    module_level_client = _scoped("module_level_client", _handler_of)
    in_memory_llm_clients_cache = _scoped("in_memory_llm_clients_cache", _CacheOfCall)


def _options(litellm: Any) -> dict[str, Any]:
    """What LiteLLM opens its own clients with: certificates as its settings and variables say."""
    handlers = _handlers()
    return {
        "verify": handlers.get_ssl_configuration(),
        "cert": os.getenv("SSL_CERTIFICATE", litellm.ssl_certificate),
        "headers": handlers.get_default_headers(),
        "follow_redirects": True,
    }


def _handlers() -> Any:
    return import_module("litellm.llms.custom_httpx.http_handler")

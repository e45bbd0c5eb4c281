"""Hands our own HTTP client to LiteLLM for our calls, and for nobody else's.

LiteLLM takes clients from three places: `client_session`, `module_level_client` and its cache of clients. Each is
replaced by one that gives our client inside `using` and what was there before elsewhere. No class is changed, so other
users of httpx, and of LiteLLM, in this process notice nothing.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import TYPE_CHECKING, Any

import httpx

from afterburner.agent.models.requests.guarded_client import GuardedClient

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.sandbox import CancelToken

_HTTP_HANDLERS = "httpx_client"  # what the names of LiteLLM's own handlers begin with in its cache
_client_of_call: ContextVar[GuardedClient | None] = ContextVar("client_of_call", default=None)


def install(litellm: Any) -> None:
    """Make the three places give our client inside `using`; done once."""
    if isinstance(litellm.in_memory_llm_clients_cache, _ScopedCache):
        return
    litellm.client_session = _ScopedClient(litellm.client_session or _common_client(litellm))
    usual = litellm.module_level_client.client
    litellm.module_level_client = _handlers().HTTPHandler(client=_ScopedClient(usual))
    litellm.in_memory_llm_clients_cache = _ScopedCache(litellm.in_memory_llm_clients_cache)


@contextmanager
def using(litellm: Any, stop: CancelToken) -> Iterator[None]:
    """Let LiteLLM make the calls of this block by a client of their own, whose connections `stop` ends."""
    with GuardedClient(**_options(litellm)) as client:
        token = _client_of_call.set(client)
        try:
            with stop.on_cancel(client.stop):
                yield
        finally:
            _client_of_call.reset(token)


class _ScopedClient(httpx.Client):
    """Sends by the client of our call, if it is in one; else by the client that it stands for."""

    def __init__(self, usual: httpx.Client) -> None:
        super().__init__(verify=False, trust_env=False)  # it opens no connection itself
        self._usual = usual
        self.headers = usual.headers
        self.timeout = usual.timeout
        self.follow_redirects = usual.follow_redirects

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        return (_client_of_call.get() or self._usual).send(request, **options)

    def close(self) -> None:
        super().close()
        self._usual.close()


class _ScopedCache:
    """LiteLLM's cache of clients; in our calls it holds nothing but our client."""

    def __init__(self, usual: Any) -> None:
        self._usual = usual

    def get_cache(self, key: str, **options: Any) -> Any:
        client = _client_of_call.get()
        if client is None:
            return self._usual.get_cache(key, **options)
        return _handlers().HTTPHandler(client=client) if key.startswith(_HTTP_HANDLERS) else None

    def set_cache(self, key: str, value: object, **options: Any) -> Any:
        return self._usual.set_cache(key, value, **options) if _client_of_call.get() is None else None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._usual, name)


def _common_client(litellm: Any) -> httpx.Client:
    """What LiteLLM would make for the clients of the openai package."""
    return httpx.Client(**(_options(litellm) | {"cert": None, "headers": None}))


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

"""Redirects of a model's server, which are not followed to other hosts: the user's code and keys would go along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_BUILD = "_build_redirect_request"


class RedirectedError(Exception):
    """A server sends its client to another host, and is not obeyed."""


def stay_with_the_host() -> None:
    """Let no httpx client of this process follow a redirect to another host, or from https to http.

    LiteLLM makes many kinds of clients; most follow redirects, and let no caller say otherwise. All of them pass the
    method that builds the request that follows. httpx keeps that one to itself, so a test watches that it is there.
    """
    import httpx  # noqa: PLC0415 - needed once a model is asked

    for kind in (httpx.Client, httpx.AsyncClient):
        build = getattr(kind, _BUILD)
        if not getattr(build, "stays", False):
            setattr(kind, _BUILD, _checked(build))


def _checked(build: Callable[..., Any]) -> Callable[..., Any]:
    def checked(client: Any, request: Any, response: Any) -> Any:
        following = build(client, request, response)
        to, been = following.url, request.url
        if to.host != been.host or (been.scheme, to.scheme) == ("https", "http"):
            raise RedirectedError(
                f"Its server {been.host} sends us to {to.scheme}://{to.host}; if you trust that one, give its address."
            )
        return following

    checked.stays = True  # type: ignore[attr-defined]  # so that it is done once
    return checked

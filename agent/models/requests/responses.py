"""Responses of a model's server, which are read so far and no further: one without an end would fill the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

MOST_RESPONSE_BYTES = 64 * 1024 * 1024  # many answers of the longest kind, with every character escaped


class EndlessResponseError(Exception):
    """A server sends more than any answer holds; its connection is closed."""

    def __init__(self) -> None:
        super().__init__(f"Its server's response is longer than {MOST_RESPONSE_BYTES >> 20} MiB.")


def read_no_further() -> None:
    """Let every httpx client of this process give up a response that is too long, after decompression.

    LiteLLM makes many kinds of clients, and all of them read a response whole. httpx reads it by these two methods.
    """
    import httpx  # noqa: PLC0415 - needed once a model is asked

    if getattr(httpx.Response.iter_bytes, "ends", False):
        return
    httpx.Response.iter_bytes = _bounded_sync(httpx.Response.iter_bytes)  # type: ignore[method-assign]
    httpx.Response.aiter_bytes = _bounded_async(httpx.Response.aiter_bytes)  # type: ignore[method-assign]


def _bounded_sync(iter_bytes: Callable[..., Iterator[bytes]]) -> Callable[..., Iterator[bytes]]:
    def bounded(response: Any, chunk_size: int | None = None) -> Iterator[bytes]:
        left = MOST_RESPONSE_BYTES
        for piece in iter_bytes(response, chunk_size):
            left = _less(left, piece)
            yield piece

    bounded.ends = True  # type: ignore[attr-defined]  # so that it is done once
    return bounded


def _bounded_async(aiter_bytes: Callable[..., AsyncIterator[bytes]]) -> Callable[..., AsyncIterator[bytes]]:
    async def bounded(response: Any, chunk_size: int | None = None) -> AsyncIterator[bytes]:
        left = MOST_RESPONSE_BYTES
        async for piece in aiter_bytes(response, chunk_size):
            left = _less(left, piece)
            yield piece

    return bounded


def _less(left: int, piece: bytes) -> int:
    if len(piece) > left:
        raise EndlessResponseError
    return left - len(piece)

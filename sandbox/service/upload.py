"""The body of a request while it comes in: never more of it than allowed, and never for longer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from afterburner.sandbox.service.problems import RefusalError

if TYPE_CHECKING:
    from starlette.types import Message, Receive

_DISCARD_S = 2.0
_DISCARD_BYTES = 64 * 1024 * 1024


class Upload:
    """One body, from its client to the application."""

    def __init__(self, receive: Receive, most: int, time_s: float) -> None:
        self._receive = receive
        self._most = most
        self._time_s = time_s
        self._is_over = False

    async def read(self, declared_length: bytes) -> bytes | None:
        """The whole body; None if the client leaves before.

        Raises:
            RefusalError: it is too long, or too slow.
        """
        body = bytearray()
        if declared_length.isdigit() and int(declared_length[:20]) > self._most:
            raise self._too_long()
        try:
            async with asyncio.timeout(self._time_s):
                while not self._is_over:
                    piece = await self._next()
                    if piece is None:
                        return None
                    body += piece
                    if len(body) > self._most:
                        raise self._too_long()
        except TimeoutError:
            raise RefusalError(408, "slow", "The request's body did not come in time.") from None
        return bytes(body)

    async def discard(self) -> bool:
        """Takes in what still comes, up to a bound, and says whether that was all.

        Many clients look for an answer only when they have sent everything.
        """
        left = _DISCARD_BYTES
        try:
            async with asyncio.timeout(_DISCARD_S):
                while not self._is_over and left > 0:
                    piece = await self._next()
                    left -= len(piece or b"")
        except TimeoutError:
            pass
        return self._is_over

    def replay(self, body: bytes) -> Receive:
        """What the application receives: the body in one piece, then what comes after it: that the client left."""
        waiting = [body]

        async def receive() -> Message:
            if waiting:
                return {"type": "http.request", "body": waiting.pop(), "more_body": False}
            return await self._receive()

        return receive

    async def _next(self) -> bytes | None:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self._is_over = True
            return None
        self._is_over = not message.get("more_body", False)
        piece = message.get("body", b"")
        return piece if isinstance(piece, bytes) else bytes(piece)

    def _too_long(self) -> RefusalError:
        return RefusalError(413, "size", f"A request may have {self._most} bytes at most.")

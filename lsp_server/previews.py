"""One preview of an edit at a time: another one would take the place of what is shown."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from afterburner.lsp_server.offers import Offer


class Previews:
    """The preview that is open, and those that wait until it is applied or discarded."""

    def __init__(self) -> None:
        """None is open."""
        self.shown: Offer | None = None
        self._lock = asyncio.Lock()
        self._waiting: list[Offer] = []

    def waits(self, offer: Offer) -> bool:
        """Whether the preview of an offer waits for another one."""
        return any(_is_same(each, offer) for each in self._waiting)

    def shows(self, offer: Offer) -> bool:
        """Whether the open preview is that of an offer."""
        return self.shown is not None and _is_same(self.shown, offer)

    @asynccontextmanager
    async def turn(self, offer: Offer) -> AsyncIterator[None]:
        """Wait for the turn of a preview, and let no other one open until the block ends."""
        self._waiting.append(offer)
        try:
            await self._lock.acquire()
        finally:
            self._waiting.remove(offer)
        self.shown = offer
        try:
            yield
        finally:
            self.shown = None
            self._lock.release()


def _is_same(one: Offer, other: Offer) -> bool:
    return (one.uri, one.function, one.rewrite) == (other.uri, other.function, other.rewrite)

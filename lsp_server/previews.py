"""One preview of an edit at a time: another one would take the place of what is shown."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Previews:
    """The preview that is open, and those that wait until it is applied or discarded."""

    def __init__(self) -> None:
        """None is open."""
        self.shown = ""  # the function of the open one
        self._lock = asyncio.Lock()
        self._asked: set[tuple[str, str]] = set()

    def __contains__(self, place: tuple[str, str]) -> bool:
        """Whether the preview of a function, by its document and name, is open or waits."""
        return place in self._asked

    @asynccontextmanager
    async def turn(self, uri: str, function: str) -> AsyncIterator[None]:
        """Wait for the turn of a preview, and let no other one open until the block ends."""
        place = uri, function
        self._asked.add(place)
        try:
            async with self._lock:
                self.shown = function
                try:
                    yield
                finally:
                    self.shown = ""
        finally:
            self._asked.discard(place)

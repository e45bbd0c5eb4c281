"""What was compiled lately: a program that is run again, on other cases or for another sample, is not compiled anew."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.sandbox.types import Compilation

_MOST_BYTES = 256 * 1024 * 1024
_MOST_ENTRIES = 256

Key = tuple[str, str, str]  # language, version of the toolchain, source
Artefact = tuple["Compilation", bytes]


class Artefacts:
    """The artefacts that were used last, up to a bound; several threads may use it at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: OrderedDict[Key, Artefact] = OrderedDict()
        self._bytes = 0

    def get(self, key: Key) -> Artefact | None:
        """What was made of this source, if it is still held."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def keep(self, key: Key, artefact: Artefact) -> None:
        """Holds it, in place of those that were not used for longest."""
        with self._lock:
            self._bytes += len(artefact[1]) - len(self._entries.pop(key, (None, b""))[1])
            self._entries[key] = artefact
            while self._bytes > _MOST_BYTES or len(self._entries) > _MOST_ENTRIES:
                _, (_, dropped) = self._entries.popitem(last=False)
                self._bytes -= len(dropped)

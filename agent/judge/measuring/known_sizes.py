"""Keeps the original's calls at other sizes for a run, because several checks need the same ones."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable


@dataclass(slots=True)
class KnownSizes:
    """A cache for several threads. One that asks for an entry being made waits for it."""

    _made: dict[Hashable, Any] = field(default_factory=dict)
    _making: dict[Hashable, threading.Lock] = field(default_factory=dict)

    def get(self, key: Hashable, make: Callable[[], Any], is_kept: Callable[[Any], bool] = lambda _: True) -> Any:
        """What `make` gave when it was first called with this key, unless it raised or `is_kept` refused the result."""
        with self._making.setdefault(key, threading.Lock()):
            if key in self._made:
                return self._made[key]
            made = make()
            if is_kept(made):
                self._made[key] = made
            return made

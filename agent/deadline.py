"""A moment after which no new work is begun."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point on the monotonic clock."""

    at_s: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """The moment that is `seconds` from now."""
        return cls(time.monotonic() + seconds)

    def within(self, seconds: float) -> Deadline:
        """The moment that is `seconds` from now, or this one if it is sooner."""
        return Deadline(min(self.at_s, time.monotonic() + seconds))

    def passed(self) -> bool:
        """Whether the moment is over."""
        return time.monotonic() >= self.at_s

    def left_s(self) -> float:
        """Seconds until then, never negative."""
        return max(self.at_s - time.monotonic(), 0.0)

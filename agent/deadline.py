"""A moment after which no new work is begun, and the two of a run."""

from __future__ import annotations

import time
from dataclasses import dataclass

SEARCH_SHARE = 0.7  # of the time budget; the rest is kept for confirming the winner


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


@dataclass(frozen=True, slots=True)
class RunClock:
    """The time budget of a run: most of it for the search, the rest for confirming the winner."""

    started_s: float
    search_until: Deadline
    confirm_until: Deadline

    @classmethod
    def start(cls, max_seconds: float, used_s: float = 0.0) -> RunClock:
        """Begin now, with so much of the budget used up before."""
        return cls(
            time.monotonic() - used_s,
            Deadline.after(SEARCH_SHARE * max_seconds - used_s),
            Deadline.after(max_seconds - used_s),
        )

    def elapsed_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started_s

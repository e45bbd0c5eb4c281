"""Deadlines after which no new work starts, and the clock of a run's time budget."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SEARCH_SHARE = 0.7  # of the time budget; the rest is kept for confirming the winner


class BudgetClock:
    """A monotonic clock that pauses while a run waits for another run. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting = 0
        self._stands_at_s = 0.0
        self._waited_s = 0.0

    def now_s(self) -> float:
        """Return seconds since an arbitrary moment, without the time in `paused`."""
        with self._lock:
            return self._stands_at_s if self._waiting else time.monotonic() - self._waited_s

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Pause the clock until the block ends; with several blocks at once, until the last one ends."""
        with self._lock:
            if not self._waiting:
                self._stands_at_s = time.monotonic() - self._waited_s
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1
                if not self._waiting:
                    self._waited_s = time.monotonic() - self._stands_at_s


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point on a clock."""

    at_s: float
    clock: BudgetClock = field(default_factory=BudgetClock)

    @classmethod
    def after(cls, seconds: float, clock: BudgetClock | None = None) -> Deadline:
        """Return the moment `seconds` from now."""
        clock = clock or BudgetClock()
        return cls(clock.now_s() + seconds, clock)

    def within(self, seconds: float) -> Deadline:
        """Return the moment `seconds` from now, or this one if it is sooner."""
        return Deadline(min(self.at_s, self.clock.now_s() + seconds), self.clock)

    def passed(self) -> bool:
        """Return whether the deadline has passed."""
        return self.clock.now_s() >= self.at_s

    def left_s(self) -> float:
        """Return the seconds until the deadline, never negative."""
        return max(self.at_s - self.clock.now_s(), 0.0)


@dataclass(frozen=True, slots=True)
class RunClock:
    """The time budget of a run: most of it for the search, the rest for confirming the winner."""

    started_s: float  # by the monotonic clock, with what was used before
    search_until: Deadline
    confirm_until: Deadline
    budget: BudgetClock
    budget_began_s: float

    @classmethod
    def start(cls, max_seconds: float, used_s: float = 0.0) -> RunClock:
        """Start now, with `used_s` of the budget already used."""
        budget = BudgetClock()
        return cls(
            time.monotonic() - used_s,
            Deadline.after(SEARCH_SHARE * max_seconds - used_s, budget),
            Deadline.after(max_seconds - used_s, budget),
            budget,
            budget.now_s() - used_s,
        )

    def elapsed_s(self) -> float:
        """Return the seconds that the user has waited since the start."""
        return time.monotonic() - self.started_s

    def used_s(self) -> float:
        """Return the seconds of the budget that were used, without the time spent waiting for a core."""
        return self.budget.now_s() - self.budget_began_s

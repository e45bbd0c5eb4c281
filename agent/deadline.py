"""Deadlines after which no new work starts, and the clock of a run's time budget."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

SEARCH_SHARE = 0.7  # of the time budget; the rest is kept for confirming the winner


class BudgetClock:
    """A monotonic clock that pauses while a run waits for another run. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting = self._queued = self._working = 0
        self._stands_at_s: float | None = None
        self._waited_s = 0.0

    def now_s(self) -> float:
        """Return seconds since an arbitrary moment, without the time in which the clock was paused."""
        with self._lock:
            return time.monotonic() - self._waited_s if self._stands_at_s is None else self._stands_at_s

    def paused(self) -> AbstractContextManager[None]:
        """Pause the clock until the block ends; with several blocks at once, until the last one ends."""
        return self._counted(waiting=1)

    def queued(self) -> AbstractContextManager[None]:
        """Pause the clock until the block ends, except while another thread of the run is `working`."""
        return self._counted(queued=1)

    def working(self) -> AbstractContextManager[None]:
        """Let the clock run on while others of the run are only `queued`."""
        return self._counted(working=1)

    @contextmanager
    def _counted(self, *, waiting: int = 0, queued: int = 0, working: int = 0) -> Iterator[None]:
        self._count(waiting, queued, working)
        try:
            yield
        finally:
            self._count(-waiting, -queued, -working)

    def _count(self, waiting: int, queued: int, working: int) -> None:
        with self._lock:
            self._waiting += waiting
            self._queued += queued
            self._working += working
            stands = self._waiting > 0 or (self._queued > 0 and not self._working)
            if stands and self._stands_at_s is None:
                self._stands_at_s = time.monotonic() - self._waited_s
            elif not stands and self._stands_at_s is not None:
                self._waited_s = time.monotonic() - self._stands_at_s
                self._stands_at_s = None


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
    def start(cls, max_seconds: float, used_s: float = 0.0, budget: BudgetClock | None = None) -> RunClock:
        """Start now, with `used_s` of the budget already used; `budget` measures the rest."""
        budget = budget or BudgetClock()
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

"""A moment after which no new work is begun, and the two of a run."""

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
    """A monotonic clock that stands while a run waits for another one: that is no time of its own. For any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting = 0
        self._stands_at_s = 0.0
        self._waited_s = 0.0

    def now_s(self) -> float:
        """Seconds since some moment, without those in `paused`."""
        with self._lock:
            return self._stands_at_s if self._waiting else time.monotonic() - self._waited_s

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stand until the block ends; of several blocks at once, until the last one does."""
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
        """The moment that is `seconds` from now."""
        clock = clock or BudgetClock()
        return cls(clock.now_s() + seconds, clock)

    def within(self, seconds: float) -> Deadline:
        """The moment that is `seconds` from now, or this one if it is sooner."""
        return Deadline(min(self.at_s, self.clock.now_s() + seconds), self.clock)

    def passed(self) -> bool:
        """Whether the moment is over."""
        return self.clock.now_s() >= self.at_s

    def left_s(self) -> float:
        """Seconds until then, never negative."""
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
        """Begin now, with so much of the budget used up before."""
        budget = BudgetClock()
        return cls(
            time.monotonic() - used_s,
            Deadline.after(SEARCH_SHARE * max_seconds - used_s, budget),
            Deadline.after(max_seconds - used_s, budget),
            budget,
            budget.now_s() - used_s,
        )

    def elapsed_s(self) -> float:
        """Seconds since the start, as the user has waited."""
        return time.monotonic() - self.started_s

    def used_s(self) -> float:
        """Seconds of the budget, without those in which the run waited for a core."""
        return self.budget.now_s() - self.budget_began_s

"""What a person who waits for a benchmark is told, and how well the cores were used."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    OnBuild = Callable[["BuildEvent"], object]


@dataclass(frozen=True, slots=True)
class BuildEvent:
    """A step in the work on one problem."""

    problem_id: str
    doing: str  # "running solutions on stored cases"
    done: int = 0
    total: int = 0  # 0: nobody knows
    number: int = 0  # of the problem, among those that are looked at; 0: not known
    problems: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one raw problem."""

    problem_id: str
    reason: str  # why it is left out; empty: it is kept
    references: int = 0
    dropped: tuple[tuple[int, str], ...] = ()  # of the human solutions, of a problem that is kept: how many, and why
    public_cases: int = 0
    private_cases: int = 0
    elapsed_s: float = 0.0
    notes: tuple[str, ...] = ()
    number: int = 0
    problems: int = 0
    left_s: float = (
        0.0  # what the problems after it take, if they take as long as those kept before; 0: not known, or none
    )


@dataclass(slots=True)
class CoreUse:
    """How long programs ran, and for how long they might have: seconds, all slots together."""

    program_s: float = 0.0
    slot_s: float = 0.0

    @contextmanager
    def of_slots(self, slots: int) -> Iterator[Callable[[float], None]]:
        """Count the time of the block for so many slots; the block tells how long each program ran."""
        began = time.monotonic()

        def ran(seconds: float) -> None:
            self.program_s += seconds

        try:
            yield ran
        finally:
            self.slot_s += slots * (time.monotonic() - began)

    @property
    def share(self) -> float:
        """The part of the slots' time in which a program ran; 0 without any."""
        return self.program_s / self.slot_s if self.slot_s else 0.0

"""How many tests a run has begun: their errors add up, so there are only so many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.judge.measuring.sequential import MOST_TESTS

if TYPE_CHECKING:
    from collections.abc import Callable

TESTS_USED_UP = (
    "the run was interrupted in the middle of its tests, and each of them counts: none is left. Start a new run"
)


@dataclass(slots=True)
class SpentTests:
    """The tests of a run that came to a look: their errors add up, whoever began them and however they ended.

    A test is counted before its first look. So one that is killed in the middle is spent, and makes no free second try.
    """

    begun: int = 0
    on_begun: Callable[[int], None] = lambda _: None  # keeps the number, before anything is looked at

    @property
    def used_up(self) -> bool:
        """Whether there is no error left for another test."""
        return self.begun >= MOST_TESTS

    def begin(self) -> None:
        """Count one more."""
        self.on_begun(self.begun + 1)
        self.begun += 1

"""The four scores that the tables are made of, their names, and one number with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from afterburner.agent.types import Objective


class Measure(StrEnum):
    """A score of a run at an iteration, in percent."""

    PASSING = "Pass@1"
    BEYOND_T = "Beyond-T"
    BEYOND_M = "Beyond-M"
    BEYOND_I = "Beyond-I"

    @property
    def objective(self) -> Objective | None:
        """The figure that it ranks; None: it asks only whether the code passes."""
        return _OBJECTIVE.get(self)


PASSING, BEYOND_T, BEYOND_M, BEYOND_I = Measure
MEASURES = (PASSING, BEYOND_T, BEYOND_M, BEYOND_I)
_OBJECTIVE = {BEYOND_T: Objective.TIME, BEYOND_M: Objective.MEMORY, BEYOND_I: Objective.INTEGRAL}
OBJECTIVE_NAMES = {Objective.TIME: "Time", Objective.MEMORY: "Memory", Objective.INTEGRAL: "Integral"}


@dataclass(frozen=True, slots=True)
class Score:
    """A number and, where there is one, the 95% interval around it."""

    value: float
    low: float | None = None
    high: float | None = None

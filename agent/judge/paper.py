"""Selection as the paper has it (Algorithm 1): greedy on single measurements; passing beats failing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.types import Objective
from afterburner.sandbox import Measurement, Verdict

if TYPE_CHECKING:
    from afterburner.sandbox import Limits, Report


@dataclass(frozen=True, slots=True)
class Solution:
    """A program and its one measurement: C and M of the paper, equation (3)."""

    code: str
    verdict: Verdict
    measurement: Measurement

    @property
    def passed(self) -> bool:
        """Whether it passes every case."""
        return self.verdict is Verdict.ACCEPTED


def solution_of(code: str, report: Report, limits: Limits) -> Solution:
    """A solution with its measurement. A program that fails measures the limits: no failing one is ever the faster."""
    if report.verdict is Verdict.ACCEPTED:
        return Solution(code, report.verdict, report.measurement)
    worst = Measurement(
        wall_time_s=limits.wall_time_s,
        cpu_time_s=limits.cpu_time_s,
        peak_memory_kib=limits.memory_kib,
        memory_integral_kib_s=limits.memory_kib * limits.wall_time_s,
        tier=report.measurement.tier,
    )
    return Solution(code, report.verdict, worst)


def is_better(candidate: Solution, incumbent: Solution, objective: Objective) -> bool:
    """Whether a candidate replaces the incumbent: it passes, and the incumbent fails or its figure is larger."""
    if candidate.passed != incumbent.passed:
        return candidate.passed
    return candidate.passed and figure_of(candidate, objective) < figure_of(incumbent, objective)


def figure_of(solution: Solution, objective: Objective) -> float:
    """What the objective wants smaller: wall time (s), peak memory (KiB) or the memory integral (KiB·s)."""
    used = solution.measurement
    if objective is Objective.TIME:
        return used.wall_time_s
    return float(used.peak_memory_kib) if objective is Objective.MEMORY else used.memory_integral_kib_s

"""Selection as the paper has it (Algorithm 1): greedy on single measurements; passing beats failing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.judge.measuring.sampling import add_up
from afterburner.agent.types import Objective
from afterburner.sandbox import Measurement, Verdict

if TYPE_CHECKING:
    from afterburner.agent.judge.confirmation import Incumbent
    from afterburner.sandbox import Limits, Report


def measured(report: Report, limits: Limits) -> Measurement:
    """M of the paper, equation (3). A program that fails measures the limits: no failing one is ever the faster."""
    if report.verdict is Verdict.ACCEPTED:
        calls = [case.call_measurement for case in report.cases if case.call_measurement is not None]
        return add_up(calls) if calls else report.measurement  # calls without the start of Python around them
    return worst(limits, report.measurement.tier)


def worst(limits: Limits, tier: str = "") -> Measurement:
    """What a program measures that uses all that the limits allow."""
    return Measurement(
        wall_time_s=limits.wall_time_s,
        cpu_time_s=limits.cpu_time_s,
        peak_memory_kib=limits.memory_kib,
        memory_integral_kib_s=limits.memory_kib * limits.wall_time_s,
        tier=tier,
    )


def is_better(candidate: Incumbent, incumbent: Incumbent, objective: Objective) -> bool:
    """Whether a candidate replaces the incumbent: it passes, and the incumbent fails or its figure is larger."""
    if candidate.passed != incumbent.passed:
        return candidate.passed
    return candidate.passed and figure_of(candidate.measurement, objective) < figure_of(
        incumbent.measurement, objective
    )


def figure_of(used: Measurement, objective: Objective) -> float:
    """What the objective wants smaller: wall time (s), peak memory (KiB) or the memory integral (KiB·s)."""
    if objective is Objective.TIME:
        return used.wall_time_s
    return float(used.peak_memory_kib) if objective is Objective.MEMORY else used.memory_integral_kib_s


def figure_text(used: Measurement, objective: Objective) -> str:
    """The same in words: `wall time 0.52 s`."""
    figure = figure_of(used, objective)
    if objective is Objective.TIME:
        return f"wall time {figure:.4g} s"
    return f"peak memory {figure:,.0f} KiB" if objective is Objective.MEMORY else f"memory integral {figure:,.0f} KiB·s"

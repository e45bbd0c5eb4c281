"""Runs BEFORE of a comparison on all cases, which has to do the same each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.errors import WorkloadError
from afterburner.agent.judge.confirmation import ORIGINAL, Incumbent, detail_of
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from afterburner.agent.judge.measuring.sample_sources import Case
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.sandbox import Report


def measure_original(bench: Workbench) -> tuple[Workbench, Incumbent]:
    """The bench with limits that follow from what the original needs, as in a run, and the original.

    Raises:
        WorkloadError: the original does not pass as a candidate would have to.
    """
    report = run_original(bench)
    original = original_of(bench, report)
    return bench.limited_by(max(case.measurement.wall_time_s for case in report.cases)), original


def run_original(bench: Workbench) -> Report:
    """What the original does on all cases."""
    return bench.sandbox.run(bench.program(bench.target.source), all_cases(bench), bench.limits)


def original_of(bench: Workbench, report: Report) -> Incumbent:
    """The original with what a run of it measured.

    Raises:
        WorkloadError: it did not do the same each time.
    """
    if report.verdict is not Verdict.ACCEPTED:
        raise WorkloadError(f"The original behaves differently each time here: {detail_of(report)}.")
    return Incumbent(ORIGINAL, bench.target.source, report.measurement, ratio=1.0)


def all_cases(bench: Workbench) -> tuple[Case, ...]:
    """The cases of selection and those that were held out."""
    return (*bench.judged_cases(), *bench.confirmed_cases())

"""Measures programs against each other: interleaved pairs, each sample a fresh process on one pinned CPU."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from afterburner.agent.types import Objective
from afterburner.sandbox import CallCase, Measurement, TestCase, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.sandbox import CaseReport, Limits, Program, Report
    from afterburner.sandbox.sandbox import Sandbox

Case: TypeAlias = TestCase | CallCase


class SampleFailedError(Exception):
    """A timed run was not accepted: the program behaves differently when it is measured."""

    def __init__(self, report: Report) -> None:
        failed = next(case for case in report.cases if case.verdict is report.verdict)
        super().__init__(failed.detail)
        self.verdict = failed.verdict
        self.detail = failed.detail


@dataclass(frozen=True, slots=True)
class Sample:
    """One fresh process per case. `work` is what the target itself used, `process` the processes as a whole.

    `first_pass_cpu_s` is the part of `work` in which every call was made for the first time in its process; None if no
    call was made more often.
    """

    work: Measurement
    process: Measurement
    by_case: tuple[Measurement, ...]
    first_pass_cpu_s: float | None = None

    def figure(self, objective: Objective) -> float:
        """The figure that the objective wants small."""
        return figure(self.work, objective)

    @property
    def overhead_cpu_s(self) -> float:
        """CPU time outside the target: start-up, imports, making inputs, encoding outcomes."""
        return max(self.process.cpu_time_s - self.work.cpu_time_s, 0.0)


def figure(measurement: Measurement, objective: Objective) -> float:
    """Seconds of CPU time, KiB or KiB·s."""
    match objective:
        case Objective.TIME:
            return measurement.cpu_time_s
        case Objective.MEMORY:
            return float(measurement.peak_memory_kib)
        case Objective.INTEGRAL:
            return measurement.memory_integral_kib_s


def add_up(measurements: Sequence[Measurement]) -> Measurement:
    """Several processes as one figure each: times and integrals are summed, the peak is the largest."""
    first = measurements[0]
    return Measurement(
        wall_time_s=sum(m.wall_time_s for m in measurements),
        cpu_time_s=sum(m.cpu_time_s for m in measurements),
        peak_memory_kib=max(m.peak_memory_kib for m in measurements),
        memory_integral_kib_s=sum(m.memory_integral_kib_s for m in measurements),
        samples=sum(m.samples for m in measurements),
        sampling_interval_s=first.sampling_interval_s,
        tier=first.tier,
    )


def timing_cpu() -> int | None:
    """The CPU that timed payloads are pinned to: the last of ours, away from the first, which gets most interrupts."""
    cpus = sorted(os.sched_getaffinity(0))
    return cpus[-1] if len(cpus) > 1 else None


@dataclass(frozen=True, slots=True)
class Sampler:
    """Takes samples of programs on one set of cases, one process at a time."""

    sandbox: Sandbox
    cases: tuple[Case, ...]
    limits: Limits
    cpu: int | None

    def sample(self, program: Program) -> Sample:
        """Run every case once in a fresh process.

        Raises:
            SampleFailedError: an outcome was not the expected one, or a limit was hit.
            SandboxInternalError: the sandbox failed; it says nothing of the program.
        """
        report = self.sandbox.run(program, self.cases, self.limits, cpu=self.cpu)
        if report.verdict is not Verdict.ACCEPTED:
            raise SampleFailedError(report)
        by_case = tuple(_work_of(case) for case in report.cases)
        return Sample(add_up(by_case), report.measurement, by_case, _first_pass_cpu_s(self.cases, report))

    def pair(self, before: Program, after: Program, *, swapped: bool) -> tuple[Sample, Sample]:
        """One sample of each, side by side; the order alternates so that neither always runs second."""
        if swapped:
            second = self.sample(after)
            return self.sample(before), second
        first = self.sample(before)
        return first, self.sample(after)


def _first_pass_cpu_s(cases: Sequence[Case], report: Report) -> float | None:
    if not any(isinstance(case, CallCase) and case.passes > 1 for case in cases):
        return None
    return sum(case.first_pass_cpu_s or 0.0 for case in report.cases)


def _work_of(case: CaseReport) -> Measurement:
    return case.call_measurement or case.measurement

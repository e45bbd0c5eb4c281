"""Measures codes of one problem against each other: the same tests, one core, in turns."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from afterburner.agent.judge.paper_selection import measured
from afterburner.evals.problems import Figures, code_id
from afterburner.sandbox import CancelledError, Measurement, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from afterburner.agent import Problem
    from afterburner.sandbox import CancelToken, Report, Sandbox
    from afterburner.sandbox.cores import Slots


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of one code on all cases of a problem.

    `turn` counts all runs of a series, in the order in which they were made. A run that is not accepted has no figures.
    """

    code_id: str
    repeat: int
    turn: int
    verdict: Verdict
    detail: str
    figures: Figures | None
    case_wall_times_s: tuple[float, ...] = ()  # of the cases in their order; of a run that did not pass, of those made

    @property
    def passed(self) -> bool:
        """Whether every case was right."""
        return self.verdict is Verdict.ACCEPTED


def measure_codes(
    sandbox: Sandbox,
    slots: Slots,
    problem: Problem,
    codes: Sequence[str],
    *,
    repeats: int,
    seed: int,
    cancel: CancelToken | None = None,
    on_measured: Callable[[Measured], object] = lambda _: None,
) -> list[Measured]:
    """Run each code on all cases, several times, in turns on one leased core. A service chooses the cores itself.

    Each repeat runs every code once, in an order drawn anew, so that whatever slows the machine down slows all of them
    down alike. A code that fails is not run again: it stays wrong, and its time says nothing.

    Args:
        sandbox: where they run.
        slots: of which one is leased for the whole series.
        problem: whose cases, checker and limits count.
        codes: distinct texts.
        repeats: how often each is run.
        seed: of the orders.
        cancel: ends it between two runs.
        on_measured: receives each run as it is done.

    Raises:
        CancelledError: it was cancelled.
        AfterburnerError: as `Sandbox.run`.
    """
    found: list[Measured] = []
    waiting, orders = list(dict.fromkeys(codes)), random.Random(seed)  # noqa: S311 - an order, and no secret
    cases = problem.test_cases

    def is_cancelled() -> bool:
        return sandbox.stopped or (cancel is not None and cancel.cancelled)

    with slots.lease(is_cancelled) as cpu:
        for repeat in range(repeats):
            orders.shuffle(waiting)
            for code in tuple(waiting):
                if is_cancelled():
                    raise CancelledError
                report = sandbox.run(
                    problem.program(code),
                    cases,
                    problem.limits,
                    checker=problem.checker,
                    cpu=cpu,
                    stop_at_failure=True,
                )
                passed = report.verdict is Verdict.ACCEPTED
                used = figures_of(measured(report, problem.limits)) if passed else None
                times = tuple(each.measurement.wall_time_s for each in report.cases)
                verdict, why = report.verdict, first_failure(report)
                found.append(Measured(code_id(code), repeat, len(found), verdict, why, used, times))
                on_measured(found[-1])
                if not passed:
                    waiting.remove(code)
    return found


def medians(measured: Iterable[Measured]) -> dict[str, Figures]:
    """The median of each figure over the repeats that passed, by the code's id."""
    return over_repeats(measured, median)


def over_repeats(measured: Iterable[Measured], choose: Callable[[Sequence[float]], float]) -> dict[str, Figures]:
    """What a function makes of each figure over the repeats that passed, by the code's id."""
    by_code: dict[str, list[Figures]] = defaultdict(list)
    for each in measured:
        if each.figures is not None:
            by_code[each.code_id].append(each.figures)
    return {
        code: Figures(
            wall_time_s=choose([each.wall_time_s for each in figures]),
            cpu_time_s=choose([each.cpu_time_s for each in figures]),
            peak_memory_kib=choose([each.peak_memory_kib for each in figures]),
            memory_integral_kib_s=choose([each.memory_integral_kib_s for each in figures]),
        )
        for code, figures in by_code.items()
    }


def figures_of(used: Measurement) -> Figures:
    """A measurement as figures."""
    return Figures(used.wall_time_s, used.cpu_time_s, float(used.peak_memory_kib), used.memory_integral_kib_s)


def first_failure(report: Report) -> str:
    """What went wrong in the first case that did; empty: nothing."""
    for number, case in enumerate(report.cases, start=1):
        if case.verdict is not Verdict.ACCEPTED:
            return f"case {number}: {case.detail}"
    return ""

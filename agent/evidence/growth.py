"""How CPU time grows with the input: the original and the winner on the same ladder of sizes, side by side."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.evidence.classes import Fit, fit_growth
from afterburner.agent.judge.measuring.timing_core import timed_on
from afterburner.agent.judge.scaled_calls import Climb, likely_bases, scale_calls
from afterburner.agent.judge.scaled_differences import difference_on_scaled
from afterburner.agent.judge.verification.call_differences import without_number
from afterburner.agent.judge.verification.search import DifferenceSearch
from afterburner.sandbox import CallCase, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.scaled_calls import ScaledCall
    from afterburner.agent.judge.verification.outcome import Counterexample
    from afterburner.agent.types import WorkloadCall
    from afterburner.sandbox import CaseReport, Program

ROUNDS, FEWEST_ROUNDS = 5, 3
MOST_SIZES = 8
MOST_CALL_S = 0.5
UNTIL_S = 0.02
MEASURABLE_S = 0.002  # calls of one size are repeated in a process until they take this long together,
MOST_REPEATS = 16
MOST_BYTES = 16 * 1024 * 1024  # of the arguments of all calls of a process
BASES_TRIED = 2
LONGEST_MAKING_S = 6.0
CLOCK_S = 1e-7  # what no clock tells from nothing
_OTHER_CALLS = "calls of another kind may grow in another way"
SLOWER = 10  # times as long as the original a process of the winner may take


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """CPU seconds of one call of a size; None where the winner gave no usable answer."""

    size: int
    original_s: float
    winner_s: float | None


@dataclass(frozen=True, slots=True)
class Growth:
    """Times against sizes. `size` counts what `scaled` names, such as `len(items)`.

    Calls of other kinds may grow in another way: `like` shows the largest call that was timed.

    `note` says what is missing and why. `disagreement` is set where the winner's outcome on one of these inputs is not
    the original's: then it is wrong, whatever it gains, or right on a `condition` alone, which the disagreement names.
    `example` is such an input, where it shows the difference by itself.
    """

    scaled: str = ""
    points: tuple[GrowthPoint, ...] = ()
    original: Fit | None = None
    winner: Fit | None = None
    note: str = ""
    disagreement: str = ""
    too_slow: bool = False  # whether the disagreement is only that the winner hit the time limit
    condition: str = ""  # an assumption that those inputs break and every real call keeps to; see `Counterexample`
    like: str = ""
    example: Counterexample | None = None

    @property
    def is_flat(self) -> bool:
        """Whether the time does not depend on the size, as of an integer that is no size: there is nothing to tell."""
        return self.original is not None and self.winner is not None and self.original.text == self.winner.text == "1"

    @property
    def is_worse(self) -> bool:
        """Whether the winner's time grows faster, by classes that are told apart."""
        return self.original is not None and self.winner is not None and self.winner.grows_faster_than(self.original)

    @property
    def sentence(self) -> str:
        """`n² → n log n`; empty if nothing could be measured."""
        if self.original is None or self.winner is None or self.is_flat:
            return ""
        return f"{self.original.text} → {self.winner.text}"

    @property
    def holds_for(self) -> str:
        """What the sentence holds for, and what it does not; empty without a sentence or where no call is known."""
        return f"of calls like {self.like}; {_OTHER_CALLS}" if self.sentence and self.like else ""

    @property
    def of_calls(self) -> str:
        """`n² → n log n, of calls like f([1, 2, 3, …]); …`: the sentence, with what it holds for."""
        return f"{self.sentence}, {self.holds_for}" if self.holds_for else self.sentence


def measure_growth(bench: Workbench, winner_source: str, deadline: Deadline) -> Growth:
    """Measure both programs on the same kind of call at other sizes, and tell their classes of growth.

    Each sample is a fresh process that makes every call of the ladder, the smaller ones several times; its outcomes are
    compared with the original's. The time of a size is the median within a process, and of the processes the smallest.

    Args:
        bench: of the original.
        winner_source: the text of the whole file with the rewrite.
        deadline: no new process is started after it.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    if bench.by_cases:
        return Growth(note="cannot tell how time grows: a program's stdin cannot be scaled")
    ladder, reasons = _ladder(bench, deadline)
    if len(ladder) < 2:
        why = reasons[0] if reasons else "no calls of other sizes could be made"
        return Growth(note=f"cannot tell how time grows: {why}")
    growth = _Measuring(bench, ladder).growth(winner_source, deadline)
    if growth.disagreement and not growth.too_slow:
        return _looked_into(growth, bench, ladder, winner_source, deadline)
    return growth


def _looked_into(
    growth: Growth, bench: Workbench, ladder: Sequence[ScaledCall], winner_source: str, deadline: Deadline
) -> Growth:
    """The same with what the disagreement rests on, where that is an assumption or rounding."""
    calls = [each.call for each in ladder]

    def search(any_bench: Workbench) -> DifferenceSearch:
        return DifferenceSearch(any_bench, bench.target.source, seed=0, shrinking_s=0.0)

    def again(narrower: Workbench) -> list[WorkloadCall]:
        return [each.call for each in _ladder(narrower, deadline)[0]]

    found = difference_on_scaled(search, bench, winner_source, calls, again, until=deadline)
    if found is None or found.timed_out:
        return growth
    more = found.rounding.words if found.rounding is not None and not found.provided else found.condition
    told = "; ".join(filter(None, [growth.disagreement, more]))
    return replace(growth, disagreement=told, condition=found.condition, example=found)


def make_ladder(bench: Workbench, deadline: Deadline) -> None:
    """Make the calls that growth will be measured on, which the bench then knows.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    if not bench.by_cases:
        _ladder(bench, deadline)


def _ladder(bench: Workbench, deadline: Deadline) -> tuple[list[ScaledCall], list[str]]:
    calls = likely_bases(bench.workload.calls_in_order())
    told: list[str] = []
    for base in calls[:BASES_TRIED]:
        if deadline.passed():
            told.append("the time budget ended before")
            break
        climb = Climb(until_s=UNTIL_S, most_s=MOST_CALL_S)
        made, reasons = scale_calls(bench, [base], climb, min(LONGEST_MAKING_S, deadline.left_s() / 2))
        told += reasons
        if len(made) > 1:
            return sorted(made, key=lambda each: each.size)[-MOST_SIZES:], told
    return [], told


@dataclass(slots=True)
class _Measuring:
    """Takes samples of programs on one ladder."""

    bench: Workbench
    ladder: Sequence[ScaledCall]

    def growth(self, winner_source: str, deadline: Deadline) -> Growth:
        """The result of as many rounds as there is time for, at least one; of the winner only if it is right."""
        programs = (self.bench.program(self.bench.target.source), self.bench.rewrite(winner_source))
        times: tuple[list[list[float]], list[list[float]]] = ([], [])
        note = disagreement = ""
        too_slow = False
        for number in range(ROUNDS):
            if note or disagreement or (number and deadline.passed()) or self._is_settled(times):
                break
            for side in (0, 1) if number % 2 == 0 else (1, 0):
                report = self._sample(programs[side])
                if report.verdict is Verdict.ACCEPTED:
                    times[side].append(self._by_size(report))
                elif side == 0:
                    note = f"the original could not be measured: {report.detail}"
                elif report.verdict is Verdict.WRONG_ANSWER:
                    disagreement = self._place_of(report)
                elif times[0] and self._sample(programs[1]).verdict is not Verdict.ACCEPTED:  # not by a busy machine
                    disagreement = f"it fails where the original does not: {report.detail}"
                    too_slow = report.verdict is Verdict.TIME_LIMIT
        result = self._result(_smallest(times[0]), [] if disagreement else _smallest(times[1]), note, disagreement)
        return replace(result, too_slow=too_slow)

    def _is_settled(self, times: Sequence[Sequence[Sequence[float]]]) -> bool:
        """Whether the last of enough rounds has changed neither class of growth."""
        if any(len(rounds) < FEWEST_ROUNDS for rounds in times):
            return False
        return all(self._class_of(rounds) and self._class_of(rounds) == self._class_of(rounds[:-1]) for rounds in times)

    def _class_of(self, rounds: Sequence[Sequence[float]]) -> str:
        fit = fit_growth([(each.size, time_s) for each, time_s in zip(self.ladder, _smallest(rounds), strict=True)])
        return fit.text if fit is not None else ""

    def _result(self, original: list[float], winner: list[float], note: str, disagreement: str) -> Growth:
        points = tuple(
            GrowthPoint(each.size, time_s, winner[place] if winner else None)
            for place, (each, time_s) in enumerate(zip(self.ladder, original, strict=False))
        )
        growth = Growth(
            scaled=self.ladder[0].scaled,
            points=points,
            original=fit_growth([(point.size, point.original_s) for point in points]),
            winner=fit_growth([(point.size, point.winner_s) for point in points if point.winner_s is not None]),
            note=note,
            disagreement=disagreement,
            like=self.ladder[-1].call.description,
        )
        if growth.is_flat and not note:
            return replace(growth, note=f"the time of either version does not change with {growth.scaled}")
        return growth

    def _repeats(self) -> list[int]:
        room = MOST_BYTES
        repeats = []
        for each in self.ladder:
            wanted = math.ceil(MEASURABLE_S / max(each.call.cpu_time_s, 1e-9))
            count = max(1, min(wanted, MOST_REPEATS, room // (2 * len(each.call.blob))))
            room -= count * len(each.call.blob)
            repeats.append(count)
        return repeats

    def _sample(self, program: Program) -> CaseReport:
        """One fresh process: every call of the ladder, from the smallest on."""
        calls = [each.call for each, count in zip(self.ladder, self._repeats(), strict=True) for _ in range(count)]
        workload = self.bench.workload
        case = CallCase(
            tuple(call.blob for call in calls),
            tuple(call.expected for call in calls),
            cold_caches=True,
            float_tolerance=workload.float_tolerance,
            fixed_clock=workload.fixed_clock,
        )
        allowed_s = SLOWER * sum(call.cpu_time_s for call in calls) + self.bench.limits.wall_time_s
        limits = replace(self.bench.limits, wall_time_s=allowed_s, cpu_time_s=allowed_s)
        with timed_on(self.bench.core, self.bench.sandbox) as cpu:
            return self.bench.sandbox.run(program, [case], limits, cpu=cpu).cases[0]

    def _by_size(self, report: CaseReport) -> list[float]:
        """CPU seconds of one call of each size."""
        taken, at = [], 0
        for count in self._repeats():
            times = [outcome.cpu_time_s for outcome in report.outcomes[at : at + count]]
            taken.append(max(statistics.median(times), CLOCK_S))
            at += count
        return taken

    def _place_of(self, report: CaseReport) -> str:
        at = report.difference_at or 0
        for each, count in zip(self.ladder, self._repeats(), strict=True):
            at -= count
            if at < 0:
                return f"with {each.scaled} = {each.size}, {each.call.description} {without_number(report.detail)}"
        return report.detail


def _smallest(samples: Sequence[Sequence[float]]) -> list[float]:
    """Of each size the smallest time: noise only ever adds."""
    return [min(times) for times in zip(*samples, strict=True)]

"""Makes the same calls with a rewrite and finds the first that does something else; only the host compares."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from afterburner.agent.inputs.replayed_calls import HASH_SEEDS
from afterburner.agent.inputs.side_by_side import side_by_side
from afterburner.sandbox import CallCase, FunctionEntry, Program, Verdict
from afterburner.sandbox.calls import CONSTRUCTOR_CHANGED
from afterburner.sandbox.differences import render_outcome
from afterburner.sandbox.tolerance import TreeAgreement, largest_difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import Target, WorkloadCall
    from afterburner.sandbox import CaseReport, Limits, PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox

SLOWDOWN_TOLERATED = 4
PATIENCE = 4  # times the wall time that a call alone is given before its limit is believed
MOST_SPLITS = 4  # of calls that ran into a limit together, and not by themselves
NO_END = "did not come to an end: "
_LIMITS = frozenset({Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT})
_NUMBERED = re.compile(r"^call \d+ ")


@dataclass(frozen=True, slots=True)
class Differing:
    """Calls in the order in which a process made them; the last of them differs."""

    calls: tuple[WorkloadCall, ...]
    hash_seed: int
    verdict: Verdict
    actual: str
    difference: str
    only_floats: bool = False  # whether nothing else differs, as far as can be told from what is not folded
    unfit_calls: tuple[WorkloadCall, ...] = ()  # all that could not be made, of which `calls` holds the first

    @property
    def is_probing(self) -> bool:
        """Whether any of the calls is beyond the contract."""
        return any(call.is_probing for call in self.calls)

    @property
    def is_ruled_out(self) -> bool:
        """Whether type hints rule out any of them."""
        return any(call.is_ruled_out for call in self.calls)

    @property
    def unfit(self) -> str:
        """Why the calls could not be made with objects that the original's constructor made; empty: they could."""
        return unfit_objects(self.difference.removeprefix(NO_END)) if self.difference.startswith(NO_END) else ""

    @property
    def may_shrink(self) -> bool:
        """Whether smaller inputs are worth the time: not where each try waits for a limit, or nothing runs at all."""
        runs = "the module cannot" not in self.actual and not self.unfit
        return self.verdict in {Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR} and runs


class OutOfDateError(Exception):
    """What an earlier run kept of the original, and a rewrite was compared with, does not hold any more."""


@dataclass(frozen=True, slots=True)
class Comparer:
    """Compares rewrites of one target with what the original did."""

    sandbox: Sandbox
    target: Target
    environment: PythonEnvironment
    limits: Limits
    float_tolerance: float | None = None  # how outcomes are compared: see `CallCase`
    fixed_clock: bool = False  # likewise
    known_names: tuple[str, ...] | None = None  # likewise
    assume: tuple[str, ...] = ()  # what smaller inputs have to keep to: expressions over the parameters
    other_environment: PythonEnvironment | None = None  # of rewrites, where they have a tree of their own
    writes_tests: bool = False  # whether a counterexample comes with a test

    def first_difference(self, source: str, calls: Sequence[WorkloadCall]) -> Differing | None:
        """The first call that `source` makes otherwise than expected: under each hash seed, and in both directions.

        A difference that shows on calls within the contract alone counts before one that takes others to show.

        Raises:
            OutOfDateError: the original does not do what is expected either, and an earlier run has kept that.
        """
        found = self._first_in_any_order(source, calls) if calls else None
        if found is not None:
            self._check_original(found)
        if found is None or not found.is_probing:
            return found
        within = [call for call in calls if not call.is_probing]
        return (self._first_in_any_order(source, within) if within else None) or found

    def _check_original(self, found: Differing) -> None:
        known = self.sandbox.known
        if known is None or not known.recalled:
            return
        if self._made(self.target.source, self.environment, found.calls, found.hash_seed) is not None:
            raise OutOfDateError

    def _first_in_any_order(self, source: str, calls: Sequence[WorkloadCall]) -> Differing | None:
        orders = [tuple(calls if number % 2 == 0 else calls[::-1]) for number in range(len(HASH_SEEDS))]
        tasks = [
            partial(self._first_believed, source, order, hash_seed)
            for order, hash_seed in zip(orders, HASH_SEEDS, strict=True)
        ]
        return next(filter(None, side_by_side(self.sandbox, tasks)), None)

    def _first_believed(
        self, source: str, calls: Sequence[WorkloadCall], hash_seed: int, splits: int = MOST_SPLITS
    ) -> Differing | None:
        """The same in one process; where a limit that ended it is not believed, in several with some calls each.

        Such a process has made the first calls and none of the last, and nothing that it did was compared. Where even
        few calls run into a limit again and again, the limit counts: no call may pass that was not compared. They are
        waited for longer than the first, like a call alone.
        """
        patience = 1 if splits == MOST_SPLITS else PATIENCE
        environment = self.other_environment or self.environment
        found = self._made(source, environment, calls, hash_seed, patience=patience)
        if found is None or self._is_believed(source, found) or (not splits and len(calls) > 1):
            return found
        at = len(found.calls) - 1
        middle = (at + 1 + len(calls)) // 2
        parts = [part for part in (calls[:at], calls[at + 1 : middle], calls[middle:]) if part]
        return next(filter(None, (self._first_believed(source, part, hash_seed, splits - 1) for part in parts)), None)

    def _is_believed(self, source: str, found: Differing) -> bool:
        """Whether a limit that was hit is the rewrite's fault: with the call alone, and not for the original.

        A machine that is busy with other things makes everybody late, so the call alone is waited for longer. It may
        use no more CPU time.
        """
        if found.verdict not in _LIMITS:
            return True
        last, environment = found.calls[-1:], self.other_environment or self.environment
        return self._made(source, environment, last, found.hash_seed, patience=PATIENCE) is not None and (
            self._made(self.target.source, self.environment, last, found.hash_seed, patience=PATIENCE) is None
        )

    def in_order(self, source: str, calls: Sequence[WorkloadCall], hash_seed: int) -> Differing | None:
        """The same in one process that makes the calls in this order."""
        return self._made(source, self.other_environment or self.environment, calls, hash_seed)

    def _made(
        self,
        source: str,
        environment: PythonEnvironment,
        calls: Sequence[WorkloadCall],
        hash_seed: int,
        *,
        patience: float = 1,
    ) -> Differing | None:
        entry = FunctionEntry(self.target.module, self.target.path, self.target.function or "")
        program = Program("python", source, entry=entry, environment=environment)
        case = CallCase(
            tuple(call.blob for call in calls),
            tuple(call.expected for call in calls),
            hash_seed=hash_seed,
            float_tolerance=self.float_tolerance,
            fixed_clock=self.fixed_clock,
            known_names=self.known_names,
        )
        limits = self.limits_for(calls)
        limits = replace(limits, wall_time_s=patience * limits.wall_time_s)
        [report] = self.sandbox.run(program, [case], limits).cases
        if report.verdict is Verdict.ACCEPTED:
            return None
        if report.unfit_calls:
            unfit = tuple(calls[at] for at in report.unfit_calls)
            return replace(_differing(report, unfit[:1], hash_seed, 0), unfit_calls=unfit)
        at = len(report.outcomes) if report.difference_at is None else report.difference_at
        if at >= len(calls):
            return None  # every call was made and is right; what else is wrong with the process is for others to judge
        return _differing(report, calls[: at + 1], hash_seed, at)

    def limits_for(self, calls: Sequence[WorkloadCall]) -> Limits:
        """What a process that makes these calls may use."""
        # What the workload's own calls are allowed covers the start of the process and what the module imports.
        more_s = SLOWDOWN_TOLERATED * sum(call.cpu_time_s for call in calls)
        return replace(
            self.limits, wall_time_s=self.limits.wall_time_s + more_s, cpu_time_s=self.limits.cpu_time_s + more_s
        )


def unfit_objects(detail: str) -> str:
    """What to say of a version that has another constructor, where its report says that this fits no object of a call.

    Empty where the report says something else. Such a version is neither right nor wrong: its own objects may do well.
    """
    if not detail.startswith(CONSTRUCTOR_CHANGED):
        return ""
    why = detail.removeprefix(CONSTRUCTOR_CHANGED).removeprefix(": ").rstrip(".")
    return (
        f"its constructor differs, and cannot be run for the objects of the calls ({why}); to judge constructor and "
        "method together, add a function to both files that makes the object and calls the method, and name it with "
        "--function"
    )


def without_number(detail: str) -> str:
    """What is told of a call, without its number."""
    return _NUMBERED.sub("", detail)


def _differing(report: CaseReport, calls: Sequence[WorkloadCall], hash_seed: int, at: int) -> Differing:
    detail = without_number(report.detail)
    if report.difference_at is None:
        actual = f"{NO_END}{detail}"
        return Differing(tuple(calls), hash_seed, report.verdict, actual, actual)
    encoded = report.outcomes[at].encoded
    agreement, _ = largest_difference(calls[at].expected, encoded)
    return Differing(
        tuple(calls),
        hash_seed,
        report.verdict,
        render_outcome(encoded),
        detail,
        only_floats=agreement is not TreeAgreement.DIFFER,
    )

"""Looks again at calls on which a rewrite differs, with outcomes in full: floats one by one, larger values.

Calls are judged by short outcomes: whatever exceeds some thousand characters is folded into a digest. That is enough to
see that two outcomes differ. This second look shows where they differ, and whether it is only rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.measuring.workbench import TOLERANT_OUTPUT_BYTES
from afterburner.agent.judge.verification.call_differences import without_number
from afterburner.agent.judge.verification.rounding import Rounding
from afterburner.sandbox import CallCase, FunctionEntry, Program, Verdict
from afterburner.sandbox.tolerance import TreeAgreement, largest_difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.verification.call_differences import Comparer
    from afterburner.agent.types import WorkloadCall
    from afterburner.sandbox import CaseReport, PythonEnvironment

ROUNDING = 1e-5  # a larger relative difference is not due to rounding, even in single precision
LOOKING_S = 30.0  # beyond the deadline of the search, as a difference is found once


@dataclass(frozen=True, slots=True)
class SecondLook:
    """One process of the original and one of a rewrite make the same calls once more.

    `comparer` knows the original, `source` is the rewrite's; `calls` are made under this hash seed. When the time is up
    there is no look.
    """

    comparer: Comparer
    source: str
    calls: Sequence[WorkloadCall]
    hash_seed: int
    until: Deadline = field(default_factory=partial(Deadline.after, LOOKING_S))

    def rounding(self, equal: int) -> Rounding | None:
        """How far the rewrite's floats are off on all of the calls; None if something else differs, too.

        Args:
            equal: on how many inputs beside these both did exactly the same.
        """
        original = self._original()
        rewrite = None if original is None else self._rewrite()
        if original is None or rewrite is None or rewrite.verdict is not Verdict.ACCEPTED:
            return None
        differing, largest = 0, 0.0
        for expected, actual in zip(original, rewrite.outcomes, strict=True):
            agreement, apart = largest_difference(expected, actual.encoded)
            if agreement is not TreeAgreement.AGREE:
                return None
            differing, largest = differing + (expected != actual.encoded), max(largest, apart)
        if not differing or largest > ROUNDING:
            return None
        return Rounding(largest, differing, equal + len(self.calls))

    def difference(self) -> str | None:
        """How the last call differs, in one line; None where a call before it differs, or none does."""
        original = self._original()
        report = None if original is None else self._rewrite(original)
        if report is None or report.difference_at != len(self.calls) - 1:
            return None
        return without_number(report.detail)

    def _original(self) -> tuple[bytes, ...] | None:
        """What the original does in each call; None if it does not come to the end."""
        report = self._made(self.comparer.target.source, self.comparer.environment, None)
        if report is None or report.verdict is not Verdict.ACCEPTED:
            return None
        return tuple(each.encoded for each in report.outcomes)

    def _rewrite(self, expected: tuple[bytes, ...] | None = None) -> CaseReport | None:
        return self._made(self.source, self.comparer.other_environment or self.comparer.environment, expected)

    def _made(
        self, source: str, environment: PythonEnvironment, expected: tuple[bytes, ...] | None
    ) -> CaseReport | None:
        """The report of one process; None where there is no time left for it."""
        comparer, left_s = self.comparer, self.until.left_s()
        if not left_s:
            return None
        entry = FunctionEntry(comparer.target.module, comparer.target.path, comparer.target.function or "")
        case = CallCase(
            tuple(call.blob for call in self.calls),
            expected,
            hash_seed=self.hash_seed,
            float_tolerance=comparer.float_tolerance or 0.0,  # outcomes are then written out
            fixed_clock=comparer.fixed_clock,
            known_names=comparer.known_names,
        )
        program = Program("python", source, entry=entry, environment=environment)
        limits = comparer.limits_for(self.calls)
        limits = replace(limits, wall_time_s=min(limits.wall_time_s, left_s), output_bytes=TOLERANT_OUTPUT_BYTES)
        [report] = comparer.sandbox.run(program, [case], limits).cases
        return report

"""Looks again at calls on which a rewrite differs, with outcomes that tell more: floats one by one, larger values.

What calls are judged by is small: what goes beyond some thousand characters is folded into a digest. That is enough to
see that two outcomes differ; where they differ, and whether it is only rounding, is told by this.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.judge.measuring.workbench import TOLERANT_OUTPUT_BYTES
from afterburner.agent.judge.verification.call_differences import without_number
from afterburner.agent.judge.verification.rounding import Rounding
from afterburner.sandbox import CallCase, FunctionEntry, Program, Verdict
from afterburner.sandbox.tolerance import Agreement, largest_difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.verification.call_differences import Comparer
    from afterburner.agent.types import WorkloadCall
    from afterburner.sandbox import CaseReport, PythonEnvironment

ROUNDING = 1e-5  # a larger relative difference is no matter of rounding, not in single precision either


@dataclass(frozen=True, slots=True)
class SecondLook:
    """One process of the original and one of a rewrite make the same calls once more.

    `comparer` knows the original, `source` is the rewrite's; `calls` are made under this hash seed.
    """

    comparer: Comparer
    source: str
    calls: Sequence[WorkloadCall]
    hash_seed: int

    def rounding(self, equal: int) -> Rounding | None:
        """How far the rewrite's floats are off on all of the calls; None if something else differs, too.

        Args:
            equal: on how many inputs beside these both did exactly the same.
        """
        original, rewrite = self._original(), self._rewrite()
        if original is None or rewrite.verdict is not Verdict.ACCEPTED:
            return None
        differing, largest = 0, 0.0
        for expected, actual in zip(original, rewrite.outcomes, strict=True):
            agreement, apart = largest_difference(expected, actual.encoded)
            if agreement is not Agreement.AGREE:
                return None
            differing, largest = differing + (expected != actual.encoded), max(largest, apart)
        if not differing or largest > ROUNDING:
            return None
        return Rounding(largest, differing, equal + len(self.calls))

    def difference(self) -> str | None:
        """What the last call does otherwise, in one line; None where the calls before it differ, or none does."""
        original = self._original()
        report = None if original is None else self._rewrite(original)
        if report is None or report.difference_at != len(self.calls) - 1:
            return None
        return without_number(report.detail)

    def _original(self) -> tuple[bytes, ...] | None:
        """What the original does in each call; None if it does not come to the end."""
        report = self._made(self.comparer.target.source, self.comparer.environment, None)
        return tuple(each.encoded for each in report.outcomes) if report.verdict is Verdict.ACCEPTED else None

    def _rewrite(self, expected: tuple[bytes, ...] | None = None) -> CaseReport:
        return self._made(self.source, self.comparer.other_environment or self.comparer.environment, expected)

    def _made(self, source: str, environment: PythonEnvironment, expected: tuple[bytes, ...] | None) -> CaseReport:
        comparer = self.comparer
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
        limits = replace(comparer.limits_for(self.calls), output_bytes=TOLERANT_OUTPUT_BYTES)
        [report] = comparer.sandbox.run(program, [case], limits).cases
        return report

"""Larger variants of real calls: what a gain that is too good to be true is measured on again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.judge.scaled_calls import Climb, likely_bases, scale_calls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.comparison import Comparison
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.verification.outcome import Counterexample
    from afterburner.agent.types import WorkloadCall

MOST_BASES = 3
MOST_CALL_S = 2.0
LONGEST_MAKING_S = 15.0
AT_LEAST = 1.5  # times the size: what grew by less says nothing new


@dataclass(frozen=True, slots=True)
class LargerCalls:
    """Calls that are larger than those a gain was seen on, each with the original's outcome.

    `factor` is how many times the real size the largest of them has. Without calls, `note` says why there are none.
    """

    calls: tuple[WorkloadCall, ...] = ()
    factor: float = 1.0
    scaled: str = ""
    note: str = ""

    @property
    def size(self) -> str:
        """How large they are, in words."""
        return f"inputs {self.factor:.3g} times as large"


@dataclass(frozen=True, slots=True)
class LargerLook:
    """What larger inputs make of a comparison, what is told of them, and one on which the two versions differ."""

    comparison: Comparison
    told: str = ""
    example: Counterexample | None = None


def larger_calls(
    bench: Workbench, calls: Sequence[WorkloadCall], factor: float = 4.0, *, most_s: float = LONGEST_MAKING_S
) -> LargerCalls:
    """Make the same kind of calls, up to `factor` times as large, as far as the original returns from them in time.

    Args:
        bench: of the original.
        calls: those that the gain was measured on.
        factor: above 1.
        most_s: wall time (s) for making them, and again for running the original on them.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    if bench.by_cases:
        return LargerCalls(note="not measured again on larger inputs: a program's stdin cannot be scaled")
    bases = likely_bases(calls)[:MOST_BASES]
    if not bases:
        return LargerCalls(note="not measured again on larger inputs: no call returns")
    climb = Climb(factors=(factor**0.5, factor), until_s=0.0, most_s=MOST_CALL_S)
    made, reasons = scale_calls(bench, bases, climb, most_s)
    by_base = {each.base: each for each in sorted(made, key=lambda each: each.factor) if each.factor >= AT_LEAST}
    if not by_base:
        return LargerCalls(
            note=f"not measured again on larger inputs: {reasons[0] if reasons else 'none could be made'}"
        )
    largest = max(by_base.values(), key=lambda each: each.factor)
    return LargerCalls(tuple(each.call for each in by_base.values()), largest.factor, largest.scaled)

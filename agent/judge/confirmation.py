"""What is confirmed, and what came of it: the incumbent, and the one confirmatory test of a winner."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.types import Decision
from afterburner.agent.wording import format_ratio
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from afterburner.agent.judge.measuring.sampling import Block
    from afterburner.agent.judge.verification.outcome import Counterexample
    from afterburner.agent.types import Gain, HeldOut
    from afterburner.sandbox import Measurement, Report


@dataclass(frozen=True, slots=True)
class Incumbent:
    """C* and M*: the best code so far. `id` is the candidate's, "original" for the user's own code."""

    id: str
    source: str
    measurement: Measurement
    ratio: float  # of the original's figure to this one's, as screening saw it
    verdict: Verdict = Verdict.ACCEPTED  # by the paper's selection, code that fails may be the best there is

    @property
    def passed(self) -> bool:
        """Whether it is right on every input of selection."""
        return self.verdict is Verdict.ACCEPTED


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The one confirmatory test of a winner against the original."""

    winner_id: str
    decision: Decision
    verdict: Verdict
    reason: str
    gain: Gain | None
    original: Measurement
    best: Measurement
    held_out: HeldOut
    counterexample: str | None = None
    notes: list[str] = field(default_factory=list)  # what the user should know about the offer
    larger_inputs: str = ""  # what became of a gain that was hard to believe
    blocks: list[Block] = field(default_factory=list)  # the samples of the test, without their parts

    @property
    def confirmed(self) -> bool:
        """Whether the winner may be offered."""
        return self.decision is Decision.IMPROVED


def confirmation_of(
    winner: Incumbent,
    original: Incumbent,
    comparison: Comparison,
    held_out: HeldOut,
    counterexample: str | None = None,
) -> Confirmation:
    """What the confirmatory test of a winner showed."""
    return Confirmation(
        winner_id=winner.id,
        decision=comparison.decision,
        verdict=comparison.verdict or Verdict.ACCEPTED,
        reason=comparison.reason,
        gain=comparison.gain,
        original=with_memory_of(comparison.before or original.measurement, original.measurement),
        best=with_memory_of(comparison.after or winner.measurement, winner.measurement),
        held_out=held_out,
        counterexample=counterexample,
        blocks=[block.without_parts() for block in comparison.blocks],
    )


def with_memory_of(measurement: Measurement, other: Measurement) -> Measurement:
    """The times of one, the memory of the other if the first has none: forks of a template share theirs with it."""
    if measurement.peak_memory_kib:
        return measurement
    return replace(
        measurement,
        peak_memory_kib=other.peak_memory_kib,
        memory_integral_kib_s=other.memory_integral_kib_s,
        samples=other.samples,
    )


def detail_of(report: Report) -> str:
    """What went wrong in the case that gave the report its verdict."""
    return next(case.detail for case in report.cases if case.verdict is report.verdict)


def differs(found: Counterexample, gain: Gain | None) -> Comparison:
    """What a counterexample makes of a candidate that has a gain."""
    if found.provided:
        shown = f"{format_ratio(gain.ratio)}, " if gain is not None else ""
        return Comparison(Decision.CONDITIONAL, f"{shown}{found.condition}", gain)
    reason = f"it differs from the original on an input made from the real ones ({found.kind})"
    return Comparison(Decision.WRONG, reason, verdict=Verdict.WRONG_ANSWER)

"""Writes down what became of candidates and winners."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.loop.state import Confirmation
from afterburner.agent.models.answer_format import STRICT
from afterburner.agent.types import Decision, JudgedCandidate
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from afterburner.agent.judge.verification.outcome import Counterexample
    from afterburner.agent.loop.state import Incumbent, LoopState, Pending
    from afterburner.agent.types import HeldOut
    from afterburner.sandbox import Measurement, Report


def refused(candidate: Pending, iteration: int, reason: str) -> JudgedCandidate:
    """The record of a candidate that was never run."""
    return record_of(candidate, iteration, Comparison(Decision.REFUSED, reason))


def record_of(
    candidate: Pending, iteration: int, comparison: Comparison, counterexample: str | None = None
) -> JudgedCandidate:
    """The record of a candidate that was judged."""
    ran = comparison.gain is not None
    return JudgedCandidate(
        id=candidate.id,
        iteration=iteration,
        proposer=candidate.proposer,
        verdict=Verdict.ACCEPTED if ran else comparison.verdict,
        decision=comparison.decision,
        reason=comparison.reason,
        gain=comparison.gain,
        measurement=comparison.after,
        source=candidate.source,
        reasoning=candidate.reasoning,
        counterexample=counterexample,
        answer_form=candidate.answer_form,
    )


def detail_of(report: Report) -> str:
    """What went wrong in the case that gave the report its verdict."""
    return next(case.detail for case in report.cases if case.verdict is report.verdict)


def line_of(record: JudgedCandidate) -> str:
    """One line of progress."""
    decision = record.decision.value.replace("_", " ")
    return f"{record.id} {record.proposer}{form_of(record)}: {decision}: {record.reason}"


def form_of(record: JudgedCandidate) -> str:
    """What is said behind a proposer whose answer was not in the format that it was asked for: ` (no tags)`."""
    return f" ({record.answer_form})" if record.answer_form not in {"", STRICT} else ""


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


def settled(record: JudgedCandidate, confirmation: Confirmation) -> JudgedCandidate:
    """The record of a winner says what its confirmation decided."""
    if record.id != confirmation.winner_id:
        return record
    return replace(
        record,
        decision=confirmation.decision,
        verdict=confirmation.verdict,
        reason=confirmation.reason,
        counterexample=confirmation.counterexample,
    )


def sampled_again(record: JudgedCandidate, comparison: Comparison) -> JudgedCandidate:
    """The record of a candidate that is not promising any more by new samples."""
    return replace(
        record,
        decision=comparison.decision,
        verdict=comparison.verdict or record.verdict,
        reason=f"sampled again: {comparison.reason}",
        gain=comparison.gain or record.gain,
        measurement=comparison.after or record.measurement,
    )


def differs(found: Counterexample) -> Comparison:
    """What a counterexample makes of a candidate."""
    reason = f"it differs from the original on an input made from the real ones ({found.kind})"
    return Comparison(Decision.WRONG, reason, verdict=Verdict.WRONG_ANSWER)


def refuted(record: JudgedCandidate, found: Counterexample) -> JudgedCandidate:
    """The record of a candidate that was promising until an input was found on which it differs."""
    wrong = differs(found)
    return replace(
        record, decision=wrong.decision, verdict=wrong.verdict, reason=wrong.reason, counterexample=found.line
    )


def withdrawn(state: LoopState, difference: str) -> LoopState:
    """The state of a run whose offer differs from the original after all, on an input of another size."""
    confirmation = state["confirmation"]
    if confirmation is None:
        return state
    reason = f"it differs from the original on an input of another size: {difference}"
    wrong = replace(confirmation, decision=Decision.WRONG, verdict=Verdict.WRONG_ANSWER, reason=reason)
    wrong = replace(wrong, counterexample=difference, gain=None)
    return {**state, "confirmation": wrong, "records": [settled(record, wrong) for record in state["records"]]}

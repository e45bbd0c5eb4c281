"""Writes down what became of candidates and winners."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from afterburner.agent.events import EventKind, ProgressEvent, Stage
from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.confirmation import differs
from afterburner.agent.models.prompts.answer_format import STRICT
from afterburner.agent.types import Candidate, Decision, JudgedCandidate
from afterburner.agent.wording import format_ratio
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from afterburner.agent.judge.confirmation import Confirmation
    from afterburner.agent.judge.verification.outcome import Counterexample
    from afterburner.agent.loop.state import LoopState
    from afterburner.agent.models.prompts.proposer import Proposal


def candidate_of(proposal: Proposal, iteration: int, number: int, *, source: str, error: str) -> Candidate:
    """What is judged of a proposal, with its place in the run."""
    return Candidate(
        f"{iteration}.{number}",
        iteration,
        proposal.proposer,
        source=source,
        reasoning=proposal.reasoning,
        error=error,
        answer_form=proposal.answer_form,
        answer=proposal.answer,
    )


def refused(candidate: Candidate, reason: str) -> JudgedCandidate:
    """The record of a candidate that was never run."""
    return record_of(candidate, Comparison(Decision.REFUSED, reason))


class Example(NamedTuple):
    """An input on which a candidate is wrong, in one line each for a person and for models."""

    line: str
    told_to_models: str
    reason: str = ""  # that says more than the judge's own
    test: str = ""  # for pytest


def example_of(found: Counterexample) -> Example:
    """An example of an input on which a function does something else."""
    return Example(found.line, found.told_to_models, found.rounding.words if found.rounding else "", found.test)


def record_of(candidate: Candidate, comparison: Comparison, example: Example | None = None) -> JudgedCandidate:
    """The record of a candidate that was judged."""
    ran = comparison.gain is not None
    return JudgedCandidate.of(
        candidate,
        Verdict.ACCEPTED if ran else comparison.verdict,
        comparison.decision,
        comparison.reason,
        gain=comparison.gain,
        measurement=comparison.after,
        counterexample=example and example.line,
        told_to_models=example and example.told_to_models,
        counterexample_test=example.test if example else "",
        figure=comparison.figure,
    )


def judged_event(record: JudgedCandidate, stage: Stage, best_ratio: float | None = None) -> ProgressEvent:
    """What became of a candidate, while `best_ratio` is that of the incumbent."""
    return ProgressEvent(
        kind=EventKind.JUDGED,
        stage=stage,
        iteration=record.iteration,
        candidate=record.id,
        proposer=record.proposer,
        answer_form=record.answer_form if record.answer_form != STRICT else "",
        decision=record.decision,
        detail=record.reason,
        gain=record.gain,
        best_ratio=best_ratio,
    )


def form_of(record: JudgedCandidate) -> str:
    """What is said behind a proposer whose answer was not in the format that it was asked for: ` (no tags)`."""
    return f" ({record.answer_form})" if record.answer_form not in {"", STRICT} else ""


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
        counterexample_test=confirmation.counterexample_test,
        over_original=confirmation.gain or record.over_original,
        over_original_figure=confirmation.figure if confirmation.gain else record.over_original_figure,
    )


def sampled_again(record: JudgedCandidate, comparison: Comparison) -> JudgedCandidate:
    """The record of a candidate with what new samples of it and the original say."""
    return replace(
        record,
        decision=comparison.decision,
        verdict=comparison.verdict or record.verdict,
        reason=f"sampled again: {comparison.reason}",
        over_original=comparison.gain or record.over_original,
        over_original_figure=comparison.figure if comparison.gain else record.over_original_figure,
        measurement=comparison.after or record.measurement,
    )


def refuted(record: JudgedCandidate, found: Counterexample) -> JudgedCandidate:
    """The record of a candidate that was promising until an input was found on which it differs."""
    wrong = differs(found, record.gain)
    return replace(
        record,
        decision=wrong.decision,
        verdict=wrong.verdict or record.verdict,
        reason=wrong.reason,
        counterexample=found.line,
        told_to_models=found.told_to_models,
        counterexample_test=found.test,
    )


def withdrawn(state: LoopState, difference: str, condition: str = "") -> LoopState:
    """The state of a run whose offer differs from the original after all, on an input of another size.

    With a `condition` under which it does not, the rewrite is conditional; else it is wrong.
    """
    confirmation = state["confirmation"]
    if confirmation is None:
        return state
    if condition:
        shown = f"{format_ratio(confirmation.gain.ratio)}, " if confirmation.gain is not None else ""
        after = replace(confirmation, decision=Decision.CONDITIONAL, reason=f"{shown}{condition}")
    else:
        reason = f"it differs from the original on an input of another size: {difference}"
        after = replace(confirmation, decision=Decision.WRONG, verdict=Verdict.WRONG_ANSWER, reason=reason, gain=None)
    after = replace(after, counterexample=difference)
    return {**state, "confirmation": after, "records": [settled(record, after) for record in state["records"]]}

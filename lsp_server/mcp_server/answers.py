"""What the tools answer. Each model is the output schema of a tool; their descriptions are for the agent that reads it.

They are shorter than what `--json` writes: an agent pays for each token that it reads.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from afterburner.agent.judge.version_comparison import ComparisonDecision
from afterburner.agent.loop.results import RunDecision
from afterburner.agent.loop.right_candidates import right_candidates
from afterburner.agent.types import Decision
from afterburner.agent.wording import format_ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from afterburner.agent.inputs.rank import RankedTarget
    from afterburner.agent.judge.verification.outcome import Counterexample
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.session.compare import ComparisonResult
    from afterburner.agent.types import Gain, Skipped

_MOST_SKIPPED = 5
_CANNOT_PROVE = "Tests cannot prove two versions equal: read the change before you keep it."


class Answer(BaseModel):
    """What a tool answers, or a part of it."""

    model_config = ConfigDict(frozen=True)


class GainAnswer(Answer):
    """How many times smaller the second version's figure is: 2.0 means half, 0.5 means twice as much."""

    ratio: float
    low: float = Field(description="Lower bound of the confidence interval.")
    high: float | None = Field(description="Upper bound; null: none.")
    confidence: float


class CounterexampleAnswer(Answer):
    """An input on which the versions differ."""

    calls: list[str] = Field(description="The calls, in this order, in one process; the last one differs.")
    before: str = Field(description="What the first version does.")
    after: str = Field(description="What the second version does.")
    difference: str
    every_time: bool = Field(description="False: they differed once, and not when the same was tried again.")
    assumptions: list[str] = Field(
        description="Python expressions over the parameters: where they hold, and they did in every real call, no "
        "difference was found."
    )


class CompareAnswer(Answer):
    """The verdict on a second version of a function or a program."""

    decision: ComparisonDecision
    same_behaviour: bool | None = Field(
        description="False: a counterexample was found. True: none was, on any input. Null: only under assumptions, or "
        "it could not be told."
    )
    reason: str
    advice: str = Field(description="What to do next.")
    function: str | None
    gain: GainAnswer | None = Field(description="Of the CPU time; null: not measured.")
    counterexample: CounterexampleAnswer | None
    inputs: dict[str, int] = Field(description="How many inputs came from where.")
    made_inputs: int = Field(description="How many more were made to find a difference.")
    remarks: list[str] = Field(description="Lines that no input reached, memory, growth with the input, and the like.")
    not_used: list[str] = Field(description="Sources of inputs that could not be used, and why.")
    elapsed_s: float


class ConditionalAnswer(Answer):
    """A rewrite that was not offered, since it is right only where an assumption holds."""

    reason: str
    new_source: str = Field(description="The whole file with this rewrite in it.")


class OptimizeAnswer(Answer):
    """What came of a search for a better rewrite."""

    decision: RunDecision
    summary: str
    advice: str = Field(description="What to do next.")
    run_id: str = Field(description="For apply_rewrite.")
    function: str | None
    gain: GainAnswer | None = Field(description="Of the objective, from the confirmation; null without an improvement.")
    patch: str = Field(description="A unified diff; empty without an improvement.")
    conditional: ConditionalAnswer | None
    tried: int = Field(description="How many rewrites were tried.")
    right: list[str] = Field(description="Those that behaved like the original, the best first.")
    inputs: dict[str, int] = Field(description="How many inputs came from where.")
    remarks: list[str]
    not_used: list[str] = Field(description="Sources of inputs that could not be used, and why.")
    cost_usd: float | None = Field(description="What language models cost; null: none was asked, or it is not known.")
    elapsed_s: float


class SurveyedAnswer(Answer):
    """A function that is worth a try."""

    file: str
    function: str
    share: float = Field(description="Of the profiled CPU time: what a rewrite could save at best, from 0 to 1.")
    calls: int
    tests: list[str] = Field(description="Test files that call it.")


class SurveyAnswer(Answer):
    """The functions of a project by what a rewrite of them could save."""

    targets: list[SurveyedAnswer]
    left_out: int = Field(description="How many more there are.")


class ApplyAnswer(Answer):
    """What was written."""

    file: str
    function: str | None
    written: Literal[True] = True


def compare_answer(result: ComparisonResult) -> CompareAnswer:
    """The verdict of a comparison."""
    found, agreement = result.compared, result.compared.agreement
    decision = found.decision
    counterexample = found.counterexample
    origins = Counter(result.workload_origins)
    return CompareAnswer(
        decision=decision,
        same_behaviour=_same(decision, has_agreed=agreement is not None),
        reason=found.reason + (f" ({found.objection})" if found.objection else ""),
        advice=_ADVICE[decision],
        function=result.target.function,
        gain=_gain(found.gain),
        counterexample=_counterexample(counterexample) if counterexample is not None else None,
        inputs=dict(origins),
        made_inputs=agreement.made(origins) if agreement is not None else 0,
        remarks=list(filter(None, _remarks(result))),
        not_used=_not_used(result.skipped),
        elapsed_s=round(result.elapsed_s, 1),
    )


def optimize_answer(result: RunResult) -> OptimizeAnswer:
    """What a run found."""
    conditional = next((each for each in result.candidates if each.decision is Decision.CONDITIONAL), None)
    shown = conditional if conditional is not None and not result.improved else None
    return OptimizeAnswer(
        decision=result.decision,
        summary=result.summary,
        advice=_ADVICE_ON_RUN[result.decision],
        run_id=result.run_id,
        function=result.target.function,
        gain=_gain(result.gain),
        patch=result.patch,
        conditional=ConditionalAnswer(reason=shown.reason, new_source=shown.source) if shown is not None else None,
        tried=len(result.candidates),
        right=[_row(each.id, each.over_original, each.why_not) for each in right_candidates(result)],
        inputs=dict(result.workload_origins),
        remarks=[
            *result.notes,
            *([f"judged on {result.invented_inputs} alone"] if result.invented_inputs else []),
            *([result.ended_early] if result.ended_early else []),
        ],
        not_used=_not_used(result.skipped),
        cost_usd=result.usage.known_cost_usd if result.usage is not None else None,
        elapsed_s=round(result.elapsed_s, 1),
    )


def survey_answer(targets: Sequence[RankedTarget], limit: int) -> SurveyAnswer:
    """The first few of the ranking."""
    return SurveyAnswer(
        targets=[
            SurveyedAnswer(
                file=each.path,
                function=each.function,
                share=round(each.share, 4),
                calls=each.calls,
                tests=list(each.test_files),
            )
            for each in targets[:limit]
        ],
        left_out=max(len(targets) - limit, 0),
    )


_CHECK_CALLERS = (
    "Look whether every caller keeps to the assumption. If so, ask again with it in `assume`. If not, or if you cannot "
    "tell, do not use the rewrite."
)
_ADVICE = {
    ComparisonDecision.DIFFERENT: (
        "Do not use the second version. Mend it so that it does what the first one does here, and compare again."
    ),
    ComparisonDecision.CONDITIONAL: _CHECK_CALLERS,
    ComparisonDecision.FASTER: _CANNOT_PROVE,
    ComparisonDecision.SLOWER: "Keep the first version: the second one does the same and is slower.",
    ComparisonDecision.SAME: "Keep the version that is easier to read: neither is faster by the minimum effect.",
    ComparisonDecision.TOO_NOISY: ("No answer. Compare again when the machine is quiet, or with a larger max_seconds."),
}
_ADVICE_ON_RUN = {
    RunDecision.IMPROVED: f"{_CANNOT_PROVE} apply_rewrite writes it.",
    RunDecision.CONDITIONAL: _CHECK_CALLERS,
    RunDecision.NO_IMPROVEMENT: "Nothing is offered. Write a rewrite yourself, and let compare judge it.",
}


def _same(decision: ComparisonDecision, *, has_agreed: bool) -> bool | None:
    if decision is ComparisonDecision.DIFFERENT:
        return False
    return True if has_agreed and decision is not ComparisonDecision.CONDITIONAL else None


def _gain(gain: Gain | None) -> GainAnswer | None:
    if gain is None:
        return None
    high = gain.high if math.isfinite(gain.high) else None
    return GainAnswer(ratio=gain.ratio, low=gain.low, high=high, confidence=gain.confidence)


def _counterexample(found: Counterexample) -> CounterexampleAnswer:
    return CounterexampleAnswer(
        calls=list(found.calls),
        before=found.expected,
        after=found.actual,
        difference=found.difference,
        every_time=found.every_time,
        assumptions=[each.expression for each in found.provided],
    )


def _remarks(result: ComparisonResult) -> Iterable[str]:
    agreement = result.compared.agreement
    if agreement is not None:
        yield from (agreement.remark, agreement.reached, agreement.beyond)
    if result.memory is not None:
        before, after = result.memory.before.peak_memory_kib, result.memory.after.peak_memory_kib
        yield f"peak memory: {before} KiB before, {after} KiB after (one sample of each)"
    if result.growth is not None and result.growth.sentence:
        yield f"growth of CPU time with {result.growth.scaled}: {result.growth.sentence}"
    yield result.compared.larger_inputs
    if result.changed_files:
        yield f"{len(result.changed_files)} other files differ, too: {', '.join(result.changed_files[:_MOST_SKIPPED])}"


def _row(name: str, ratio: float, why_not: str) -> str:
    return f"{name}: {format_ratio(ratio)}" + (f", not offered: {why_not}" if why_not else "")


def _not_used(skipped: Sequence[Skipped]) -> list[str]:
    told = [f"{each.origin}: {each.reason}" for each in skipped[:_MOST_SKIPPED]]
    more = len(skipped) - len(told)
    return [*told, f"and {more} more"] if more > 0 else told

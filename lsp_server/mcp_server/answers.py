"""What the tools answer. Each model is the output schema of a tool; their descriptions are for the agent that reads it.

They are shorter than what `--json` writes: an agent pays for each token that it reads.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from afterburner.agent.code.patch import unified_diff
from afterburner.agent.judge.version_comparison import MEASURED, ComparisonDecision
from afterburner.agent.loop.results import RunDecision
from afterburner.agent.loop.right_candidates import right_candidates
from afterburner.agent.types import Decision, Objective
from afterburner.agent.wording import format_gain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from afterburner.agent.inputs.rank import RankedTarget
    from afterburner.agent.judge.verification.outcome import Counterexample
    from afterburner.agent.judge.version_comparison import VersionFindings
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.loop.right_candidates import RightCandidate
    from afterburner.agent.session.compare import ComparisonResult
    from afterburner.agent.types import Gain, JudgedCandidate, Skipped

_MOST_SKIPPED = 5
_CANNOT_PROVE = "Tests cannot prove two versions equal: read the change before you keep it."


class Answer(BaseModel):
    """What a tool answers, or a part of it."""

    model_config = ConfigDict(frozen=True)


class GainAnswer(Answer):
    """How many times smaller the second version's figure of the objective is: 2.0 means half, 0.5 twice as much."""

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
    hash_seed: int = Field(description="PYTHONHASHSEED under which they differ.")
    assumptions: list[str] = Field(
        description="Python expressions over the parameters: where they hold, and they did in every real call, no "
        "difference was found."
    )


class CompareAnswer(Answer):
    """The verdict on a second version of a function or a program."""

    decision: ComparisonDecision
    same_behaviour: bool | None = Field(
        description="Of `function`. False: a difference was found. True: none was on any input, which is no proof. "
        "Null: it is not known, or only so under assumptions."
    )
    reason: str
    advice: str = Field(description="What to do next.")
    function: str | None
    before: str = Field(description="What the first version is.")
    after: str = Field(description="What the second version is.")
    objective: Objective
    gain: GainAnswer | None = Field(description="Null unless the decision rests on it.")
    counterexample: CounterexampleAnswer | None = Field(
        description="The difference as a call; null where it only showed on larger inputs: see `reason`."
    )
    assumed: list[str] = Field(description="What was taken to hold for every input, by `assume` or the docstring.")
    inputs: dict[str, int] = Field(description="How many inputs came from where.")
    made_inputs: int | None = Field(
        description="How many more were made, on which no difference was found; null if there is a difference."
    )
    not_judged: list[str] = Field(description="What else differs between the two files; nothing is known of it.")
    remarks: list[str] = Field(description="Lines that no input reached, growth with the input, and the like.")
    not_used: list[str] = Field(description="Sources of inputs that could not be used, and why.")
    elapsed_s: float


class ConditionalAnswer(Answer):
    """A rewrite that was not offered, since it is the same only where an assumption holds."""

    reason: str
    patch: str = Field(description="The rewrite as a unified diff.")


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
    right: list[str] = Field(
        description="Those that were the same on the workload, the best first, with what became of them; the winner "
        "alone was confirmed."
    )
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


def compare_answer(result: ComparisonResult, before: str, after: str, not_judged: Sequence[str] = ()) -> CompareAnswer:
    """The verdict of a comparison.

    Args:
        result: of the session.
        before: what the first version is, in words.
        after: likewise.
        not_judged: what else differs between the two files.
    """
    found, agreement = result.compared, result.compared.agreement
    origins = Counter(result.workload_origins)
    objection = f" ({found.objection})" if found.objection and found.objection not in found.reason else ""
    return CompareAnswer(
        decision=found.decision,
        same_behaviour=_same(found.decision, has_rest=bool(not_judged or result.changed_files)),
        reason=in_words_of_tools(found.reason + objection),
        advice=advice_on(found),
        function=result.target.function,
        before=before,
        after=after,
        objective=result.objective,
        gain=_gain(found.gain) if found.decision in MEASURED else None,
        counterexample=_counterexample(found.counterexample) if found.counterexample is not None else None,
        assumed=list(result.assume),
        inputs=dict(origins),
        made_inputs=agreement.made(origins) if agreement is not None else None,
        not_judged=[*not_judged, *(f"another file: {each}" for each in result.changed_files[:_MOST_SKIPPED])],
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
        summary=in_words_of_tools(result.summary),
        advice=_ADVICE_ON_RUN[result.decision],
        run_id=result.run_id,
        function=result.target.function,
        gain=_gain(result.gain),
        patch=result.patch,
        conditional=_conditional(result, shown) if shown is not None else None,
        tried=len(result.candidates),
        right=[_row(each) for each in right_candidates(result)],
        inputs=dict(result.workload_origins),
        remarks=[
            *map(in_words_of_tools, result.notes),
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
    "Check whether every caller keeps to the assumption. If so, ask again with it in `assume`. If not, or if you "
    "cannot tell, do not use the rewrite."
)
_NOT_KNOWN = "Do not use the second version: whether it does the same is not known. "
_ADVICE = {
    ComparisonDecision.DIFFERENT: (
        "Do not use the second version. Fix it until it does what the first one does here, and compare again."
    ),
    ComparisonDecision.FASTER: _CANNOT_PROVE,
    ComparisonDecision.SAME: "Keep the version that is easier to read: neither is better by the minimum effect.",
}
_ADVICE_ON_RUN = {
    RunDecision.IMPROVED: f"{_CANNOT_PROVE} apply_rewrite writes it.",
    RunDecision.CONDITIONAL: _CHECK_CALLERS,
    RunDecision.NO_IMPROVEMENT: "Nothing is offered. Write a rewrite yourself, and have compare judge it.",
}
_OPTION = re.compile(r"--(calls|assume|max-seconds|function|cases)\b")


def advice_on(found: VersionFindings) -> str:
    """What to do after a comparison."""
    decision = found.decision
    if decision is ComparisonDecision.SLOWER:
        if found.agreement is not None:
            return "Keep the first version. No difference was found, and the second one is slower."
        return _NOT_KNOWN + "It reached the time limit. Look for a loop that does not end."
    if decision is ComparisonDecision.CONDITIONAL:
        has_assumption = found.counterexample is not None and bool(found.counterexample.provided)
        return _CHECK_CALLERS if has_assumption else _NOT_KNOWN + "The reason says what was not tried."
    if decision is ComparisonDecision.TOO_NOISY:
        if found.objection:
            return _NOT_KNOWN + "Remove what the reason objects to, and compare again."
        return "No answer. Compare again with a larger max_seconds, or when the machine is quiet."
    return _ADVICE[decision]


def in_words_of_tools(text: str) -> str:
    """A message of the command line with its options as arguments of the tools."""
    text = re.sub(r"\S*afterburner-calls-\w+/calls\.py", "`calls`", text)
    return _OPTION.sub(lambda option: f"`{option[1].replace('-', '_')}`", text)


def _same(decision: ComparisonDecision, *, has_rest: bool) -> bool | None:
    if decision is ComparisonDecision.DIFFERENT:
        return False
    return True if decision in (ComparisonDecision.FASTER, ComparisonDecision.SAME) and not has_rest else None


def _conditional(result: RunResult, candidate: JudgedCandidate) -> ConditionalAnswer:
    return ConditionalAnswer(
        reason=in_words_of_tools(candidate.reason), patch=unified_diff(result.target, candidate.source)
    )


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
        hash_seed=found.hash_seed,
        assumptions=[each.expression for each in found.provided],
    )


def _remarks(result: ComparisonResult) -> Iterable[str]:
    agreement = result.compared.agreement
    if agreement is not None:
        yield from (agreement.caveat, agreement.remark, agreement.reached, agreement.beyond)
    if result.memory is not None:
        before, after = result.memory.before.peak_memory_kib, result.memory.after.peak_memory_kib
        yield f"peak memory, measured once and not tested: {before} KiB before, {after} KiB after"
    if result.growth is not None and result.growth.sentence:
        yield f"growth of CPU time with {result.growth.scaled}: {result.growth.of_calls}"
    yield result.compared.on_larger


def _row(right: RightCandidate) -> str:
    told = f"{right.id}: {format_gain(right.over_original, right.figure)}"
    return told + (f", not offered: {right.why_not}" if right.why_not else "")


def _not_used(skipped: Sequence[Skipped]) -> list[str]:
    told = [f"{each.origin}: {each.reason}" for each in skipped[:_MOST_SKIPPED]]
    more = len(skipped) - len(told)
    return [*told, f"and {more} more"] if more > 0 else told

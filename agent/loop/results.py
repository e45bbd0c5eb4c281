"""Turns the final state of a run into its result."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from afterburner.agent.code.patch import readability, unified_diff
from afterburner.agent.code.text_edits import TextEdit, edits_between
from afterburner.agent.inputs.judging import judging_notes
from afterburner.agent.inputs.written_calls import invented_inputs
from afterburner.agent.judge.measuring.figures import figures_for
from afterburner.agent.judge.paper_selection import figure_text, worst
from afterburner.agent.judge.screening import TOO_LATE_TO_SCREEN
from afterburner.agent.loop.search_policy import SearchPolicy
from afterburner.agent.loop.state import trajectory_of
from afterburner.agent.models.requests.spending import TIME_IS_UP
from afterburner.agent.option_kinds import Selection
from afterburner.agent.types import OF_A_PROBLEM, Decision, HeldOut, Objective
from afterburner.agent.wording import count, format_by_size, format_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.evidence.gather import Evidence
    from afterburner.agent.judge.confirmation import Confirmation, Incumbent
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.loop.state import LoopState
    from afterburner.agent.options import RunSettings
    from afterburner.agent.stage_times import StageTime
    from afterburner.agent.types import (
        Gain,
        GainRange,
        JudgedCandidate,
        Machine,
        Readability,
        Skipped,
        Target,
        Workload,
        WrittenCalls,
    )
    from afterburner.agent.usage import Usage
    from afterburner.sandbox import Measurement


_AGAINST = {  # what stood against one candidate, and against several
    Decision.NOT_BETTER: ("is the same on the workload but not better", "are the same on the workload but not better"),
    Decision.TOO_NOISY: (
        "is the same on the workload but too noisy to call better",
        "are the same on the workload but too noisy to call better",
    ),
    Decision.PROMISING: (
        "is the same on the workload but was not tested further",
        "are the same on the workload but were not tested further",
    ),
    Decision.CONDITIONAL: ("is the same only on a condition", "are the same only on a condition"),
    Decision.WRONG: ("is wrong", "are wrong"),
    Decision.REFUSED: ("was refused", "were refused"),
}
_LATE = ("was not measured in time", "were not measured in time")


class RunDecision(StrEnum):
    """What came of a run."""

    IMPROVED = "improved"
    CONDITIONAL = "conditional"  # nothing is offered, and a better rewrite is the same on a condition
    NO_IMPROVEMENT = "no_improvement"


@dataclass(frozen=True, slots=True)
class RunResult:
    """One finished run of the loop on one target. Gains are of the winner against the original, from confirmation.

    The paper's selection confirms nothing, so its results offer nothing: `improved` is false, and there is no gain and
    no patch. `original` is then what the code to begin with measured, given or written by the model, `best` and
    `best_source` are M* and C*.
    """

    run_id: str
    target: Target
    objective: Objective
    model: str
    improved: bool
    summary: str  # one sentence: what was found, or why nothing is offered
    gain: Gain | None
    original: Measurement
    best: Measurement
    held_out: HeldOut
    candidates: tuple[JudgedCandidate, ...]
    patch: str  # unified diff, empty without an improvement
    best_source: str  # the whole file as offered
    readability: Readability | None
    workload_origins: tuple[tuple[str, int], ...]  # ("captured from __main__", 12), …
    skipped: tuple[Skipped, ...]
    machine: Machine
    elapsed_s: float
    evidence: Evidence | None = None  # of an offer
    notes: tuple[str, ...] = ()  # what the user should know about the offer, its caveat among it
    caveat: str = ""  # see `Confirmation`
    usage: Usage | None = None  # of language models; None: none was asked
    selection: Selection = Selection.VERIFIED
    trajectory: tuple[Incumbent | None, ...] = ()  # the best so far after each round; None: there was no code yet
    ended_early: str = ""  # why not all rounds were made: a cap, the time, …; empty: they were
    by_size: GainRange | None = None  # the winner's gain on small inputs and on large ones, where they differ in size
    written: WrittenCalls | None = None  # the calls of a language model that are among the inputs
    description: str = ""  # of an offer: what a model is told of the original beside its code; empty: it is not known
    stages: tuple[StageTime, ...] = ()  # how long it was at each step, in the process that ended it
    all_inputs: Gain | None = None  # on all timed calls, where `gain`, `original` and `best` are of the real ones alone
    whole_original: Measurement | None = None  # likewise
    assume: tuple[str, ...] = ()  # what is stated of every input; of a run that an older version has stored, none
    on_real_calls: str = ""  # what the real calls gain, in words, where made inputs alone show the gain

    @property
    def decision(self) -> RunDecision:
        """What came of the run: conditional if a candidate would be an offer where its condition holds."""
        if self.improved:
            return RunDecision.IMPROVED
        is_conditional = any(each.decision is Decision.CONDITIONAL for each in self.candidates)
        return RunDecision.CONDITIONAL if is_conditional else RunDecision.NO_IMPROVEMENT

    @property
    def original_on_all(self) -> Measurement:
        """What the original took on all timed calls, as the candidates did."""
        return self.whole_original or self.original

    @property
    def invented_inputs(self) -> str:
        """What the inputs are if none is from the project: `6 calls written by openai/…`; empty: some are."""
        return invented_inputs(self.workload_origins)

    @property
    def edits(self) -> tuple[TextEdit, ...]:
        """The offer as edits of exactly `target.source`; none without an improvement."""
        return edits_between(self.target.source, self.best_source) if self.improved else ()


_OF_GROWTH = "one made call, the quickest of a few runs, not tested"
TELLING = 1.25  # times as large as another gain, to be told beside it
MOST_OF_IT = 0.9  # of the CPU time of all calls
OBJECTIVE_NOUN = {Objective.TIME: "CPU time", Objective.MEMORY: "peak memory", Objective.INTEGRAL: "memory integral"}


def make_result(
    settings: RunSettings, bench: Workbench, state: LoopState, *, run_id: str, machine: Machine, elapsed_s: float
) -> RunResult:
    """Tell what was found. Every figure of an offer comes from its confirmation, none from the search."""
    original, confirmation = state["lineage"][0], state["confirmation"]
    offer = confirmation.announced() if confirmation is not None and confirmation.confirmed else None
    best_source = winner_source(state) if offer else original.source
    unused = HeldOut(bench.workload.held_out_count, passed=True, gain=None)
    return RunResult(
        run_id=run_id,
        target=bench.target,
        objective=settings.search.objective,
        model=settings.models.model,
        improved=offer is not None,
        summary=_summary(settings, state, bench.workload),
        gain=offer.gain if offer else None,
        original=offer.original if offer else original.measurement,
        best=offer.best if offer else original.measurement,
        held_out=confirmation.held_out if confirmation else unused,
        candidates=tuple(state["records"]),
        patch=unified_diff(bench.target, best_source) if offer else "",
        best_source=best_source,
        readability=readability(original.source, best_source, bench.target.language) if offer else None,
        workload_origins=tuple(Counter(bench.workload.origins()).items()),
        skipped=bench.workload.skipped,
        machine=machine,
        elapsed_s=elapsed_s,
        trajectory=trajectory_of(state),
        ended_early=_ended_early(settings, state),
        written=bench.workload.written,
        notes=(
            *_needed(settings),
            *_capped(state),
            *judging_notes(bench.workload),
            *(_untimed(settings, bench) if offer else ()),
            *filter(None, (offer.caveat, *offer.notes) if offer else ()),
        ),
        caveat=offer.caveat if offer else "",
        by_size=offer.by_size if offer else None,
        all_inputs=confirmation.gain if confirmation is not None and offer and offer.real else None,
        whole_original=confirmation.original if confirmation is not None and offer and offer.real else None,
        assume=bench.workload.assume,
        on_real_calls=offer.on_real_calls if offer else "",
    )


def gain_where_largest(result: RunResult) -> str:
    """The gain at the largest size of the growth measurement, if it is far above the others: `38.0x where n is 4,000`.

    It is of one call that was made, and was tested nowhere, so it is no part of the summary. It says so, since the gain
    on larger inputs that may stand below it is of several calls, and of a first run.
    """
    growth = result.evidence.growth if result.evidence else None
    last = growth.points[-1] if growth and growth.points else None
    if not (result.gain and growth and last and last.winner_s):
        return ""
    known = max(result.gain.ratio, result.by_size.large if result.by_size else 0.0)
    ratio = last.original_s / last.winner_s
    if ratio <= TELLING * known:
        return ""
    return f"{format_ratio(ratio)} where {growth.scaled} is {last.size:,}: {_OF_GROWTH}"


def make_paper_result(
    settings: RunSettings, bench: Workbench, state: LoopState, *, run_id: str, machine: Machine, elapsed_s: float
) -> RunResult:
    """Tell what Algorithm 1 found. Of an answer without code, and of no answer, the measurement is the limits."""
    trajectory = trajectory_of(state)
    best = trajectory[-1] if trajectory else None
    first = next((each for each in trajectory if each is not None), None)
    nothing = worst(bench.limits)
    origins = Counter(bench.workload.origins())
    if bench.problem is not None:
        origins = Counter({OF_A_PROBLEM: len(bench.problem.cases)})
    return RunResult(
        run_id=run_id,
        target=bench.target,
        objective=settings.search.objective,
        model=settings.models.model,
        improved=False,
        summary=_paper_summary(settings, best),
        gain=None,
        original=first.measurement if first else nothing,
        best=best.measurement if best else nothing,
        held_out=HeldOut(0, passed=True, gain=None),
        candidates=tuple(state["records"]),
        patch="",
        best_source=best.source if best else "",
        readability=None,
        workload_origins=tuple(origins.items()),
        skipped=bench.workload.skipped,
        machine=machine,
        elapsed_s=elapsed_s,
        notes=_capped(state),
        selection=Selection.PAPER,
        trajectory=trajectory,
        ended_early=state["ended_early"],
        written=bench.workload.written,
    )


def _paper_summary(settings: RunSettings, best: Incumbent | None) -> str:
    if best is None:
        return "no model gave any code"
    if not best.passed:
        return f"no code passes every case: {best.verdict.value.replace('_', ' ')}"
    figure = figure_text(best.measurement, settings.search.objective)
    return f"the best code that passes: {figure}, measured once and not confirmed"


def headline(objective: Objective, confirmation: Confirmation) -> str:
    """`CPU time improved 9.9x on the workload as a whole (1.9x on small inputs to 38x on large ones)`.

    Where wall time decided, that is what improved. Where one of the two gains is a loss, they are told in words:
    `(1.5x slower on small inputs, 38x faster on large ones)`. Where made inputs outweigh the real calls: `CPU time
    improved 1.7x on the 7 real calls (117x with made inputs)`, or `CPU time improved 117x with made inputs; on the 7
    real calls alone, without made inputs, it gains 1.02x`.
    """
    blocks, gain, by_size = confirmation.blocks, confirmation.gain, confirmation.by_size
    improved = f"{figures_for(objective, blocks).primary.noun if blocks else OBJECTIVE_NOUN[objective]} improved"
    if gain is None:
        return improved
    if (real := confirmation.real) is not None:
        of_all = f"({format_ratio(gain.ratio)} with made inputs)"
        return f"{real.noun} improved {format_ratio(real.gain.ratio)} {real.where} {of_all}"
    told = f"{improved} {format_ratio(gain.ratio)}"
    if confirmation.on_real_calls:
        return f"{told} with made inputs; {confirmation.on_real_calls}"
    if by_size is None or max(by_size.small, by_size.large) < TELLING * min(by_size.small, by_size.large):
        return told
    return f"{told} on the workload as a whole ({format_by_size(by_size.small, by_size.large)})"


def _untimed(settings: RunSettings, bench: Workbench) -> tuple[str, ...]:
    """What the gain leaves out: calls that would take too long to sample, if they are a good part of all."""
    if bench.by_cases or settings.search.objective is not Objective.TIME:
        return ()
    calls, timed = bench.workload.calls_in_order(), bench.timed_calls()
    share = sum(call.cpu_time_s for call in timed) / max(sum(call.cpu_time_s for call in calls), 1e-9)
    if share > MOST_OF_IT:
        return ()
    told = f"measured on {len(timed)} of the {count(len(calls), 'call')} ({share:.0%} of the CPU time)"
    return (f"{told}; the others would take too long to sample",)


def _ended_early(settings: RunSettings, state: LoopState) -> str:
    policy = SearchPolicy.of(settings)
    if policy.has_given_up(state) and state["iteration"] < settings.search.iterations:
        return f"nothing better in {count(policy.patience, 'round')}"
    return state["ended_early"]


def winner_source(state: LoopState) -> str:
    """The text of the file as offered. A winner that was tried after others had failed need not be in the lineage."""
    confirmation = state["confirmation"]
    assert confirmation is not None  # noqa: S101 - narrows the type; there is an offer
    return next(record.source for record in state["records"] if record.id == confirmation.winner_id)


def _needed(settings: RunSettings) -> tuple[str, ...]:
    if not settings.proof.min_effect_source:
        return ()
    return (
        f"a gain has to be proven above {format_ratio(1 + settings.proof.effect)} ({settings.proof.min_effect_source})",
    )


def _capped(state: LoopState) -> tuple[str, ...]:
    return (f"the model was not asked further: {state['usage'].cap}",) if state["usage"].cap else ()


def _summary(settings: RunSettings, state: LoopState, workload: Workload) -> str:
    confirmation = state["confirmation"]
    if confirmation is not None and confirmation.confirmed:
        told = headline(settings.search.objective, confirmation)
        invented = invented_inputs(Counter(workload.origins()).items())
        return f"{told}; workload: {invented}; none is from your project" if invented else told
    if confirmation is not None:
        return f"nothing is offered: {confirmation.reason}"
    if not state["records"]:
        if settings.models.model == "rules":
            return "nothing is offered: no rule fits; a language model may find more"
        return f"nothing is offered: {state['usage'].cap or 'there was nothing to propose'}"
    why = why_none(state["records"])
    return f"nothing is offered: {why}{f'; {TIME_IS_UP}' if state['ended_early'] == TIME_IS_UP else ''}"


def why_none(candidates: Sequence[JudgedCandidate], example: str = "") -> str:
    """What stood against the candidates, such as `of 3 candidates 2 are wrong, 1 was refused`.

    Args:
        candidates: there is at least one.
        example: what the wrong ones do, to stand behind them in brackets; empty: it is told elsewhere.
    """
    behind = {_AGAINST[Decision.WRONG]: f" ({example})"} if example else {}
    if len(candidates) == 1:
        against = _against(candidates[0])
        return f"the only candidate {against[0]}{behind.get(against, '')}"
    found = Counter(map(_against, candidates))
    counted = [
        f"{found[each]} {each[found[each] > 1]}{behind.get(each, '')}"
        for each in (*_AGAINST.values(), _LATE)
        if found[each]
    ]
    return f"of {len(candidates)} candidates {', '.join(counted)}"


def _against(candidate: JudgedCandidate) -> tuple[str, str]:
    return _LATE if candidate.reason == TOO_LATE_TO_SCREEN else _AGAINST[candidate.decision]


def decision_words(candidate: JudgedCandidate) -> str:
    """What became of a candidate, in one or two words."""
    return "not measured" if candidate.reason == TOO_LATE_TO_SCREEN else candidate.decision.value.replace("_", " ")

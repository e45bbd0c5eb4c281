"""The section of a run over one target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.code.patch import path_inside
from afterburner.agent.loop.records import form_of
from afterburner.agent.loop.results import OBJECTIVE_NOUN, RunDecision, decision_words, gain_where_largest
from afterburner.agent.loop.right_candidates import right_candidates
from afterburner.agent.page.figures import MEMORY, TIMES, figure_rows
from afterburner.agent.page.run_facts import cost_text, facts_of, gains_note, samples_text
from afterburner.agent.page.section import CandidateRow, FigureRow, PageSection, Tone
from afterburner.agent.types import Decision
from afterburner.agent.wording import format_gain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import JudgedCandidate

HEADLINES = {
    RunDecision.IMPROVED: "Improved",
    RunDecision.CONDITIONAL: "The same on a condition",
    RunDecision.NO_IMPROVEMENT: "No improvement",
}


def section_of_run(result: RunResult, settings: RunSettings | None = None, remark: str = "") -> PageSection:
    """What a run found, with all that its answer rests on.

    Args:
        result: of the run.
        settings: of the run, whose seed is told; None: they are not known.
        remark: what else there is to say first, such as why an improvement is not written.
    """
    evidence = result.evidence
    why_not = {row.id: row.why_not for row in right_candidates(result)}
    place = path_inside(result.target.path, result.target.project_root)
    return PageSection(
        title=result.target.function or place,
        decision=HEADLINES[result.decision],
        tone=Tone.GOOD if result.improved else Tone.NEUTRAL,
        sentence=result.summary,
        place=place if result.target.function else "",
        gain=result.gain if result.improved else None,
        figures=rows_of(result),
        samples=evidence.samples if evidence is not None else None,
        growth=evidence.growth if evidence is not None else None,
        patch=result.patch,
        facts=tuple(_facts(result, settings)),
        notes=tuple(filter(None, (remark, *_notes(result)))),
        candidates=tuple(_candidate(each, why_not) for each in result.candidates),
        candidates_note=gains_note(result.candidates),
    )


def rows_of(result: RunResult) -> tuple[FigureRow, ...]:
    """The figures before and after; without an improvement those of the original."""
    after = result.best if result.improved else None
    return figure_rows((*TIMES, *MEMORY), result.original, after, figure_of_run(result), result.gain)


def figure_of_run(result: RunResult) -> str:
    """The figure that an offer's gain is of, such as `wall time` where the original mostly waits."""
    samples = result.evidence.samples if result.evidence is not None else None
    return samples.noun if samples is not None else OBJECTIVE_NOUN[result.objective]


def _facts(result: RunResult, settings: RunSettings | None) -> Iterator[tuple[str, str]]:
    evidence = result.evidence
    yield "Objective", f"less {figure_of_run(result)}"
    if result.gain is not None and evidence is not None and evidence.samples is not None:
        yield "Samples", samples_text(result.gain, evidence.samples)
    yield from facts_of(result)
    if result.readability is not None:
        yield "It costs", cost_text(result.readability)
    yield "Model", result.model
    if settings is not None:
        yield "Seed", str(settings.search.seed)


def _notes(result: RunResult) -> Iterator[str]:
    yield from result.target.notes
    yield from result.notes
    if told := gain_where_largest(result):
        yield told
    if result.evidence is not None:
        yield result.evidence.larger_inputs
    yield result.ended_early and f"the search ended early: {result.ended_early}"


def _candidate(candidate: JudgedCandidate, why_not: Mapping[str, str]) -> CandidateRow:
    is_conditional = candidate.decision is Decision.CONDITIONAL  # the reason names the condition
    return CandidateRow(
        candidate.id,
        candidate.proposer + form_of(candidate),
        decision_words(candidate),
        format_gain(candidate.gain.ratio, candidate.figure) if candidate.gain is not None else "",
        candidate.reason if is_conditional else why_not.get(candidate.id) or candidate.reason,
        candidate.counterexample or "",
    )

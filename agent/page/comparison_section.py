"""The section of a comparison of two versions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from afterburner.agent.code.patch import path_inside
from afterburner.agent.evidence.samples import sample_figures
from afterburner.agent.judge.measuring.figures import figures_between
from afterburner.agent.judge.version_comparison import MEASURED, ComparisonDecision
from afterburner.agent.loop.results import OBJECTIVE_NOUN
from afterburner.agent.page.figures import MEMORY, TIMES, figure_rows
from afterburner.agent.page.run_facts import machine_text, origins_text, samples_text, skipped_facts
from afterburner.agent.page.section import PageSection, Tone
from afterburner.agent.types import Objective
from afterburner.agent.wording import LARGER_CALLS, count, format_change, format_ratio
from afterburner.sandbox.terminal.formatting import format_kib
from afterburner.sandbox.terminal.text import format_elapsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.evidence.growth import Growth
    from afterburner.agent.evidence.samples import SampleFigures
    from afterburner.agent.judge.verification.outcome import Counterexample
    from afterburner.agent.judge.version_comparison import VersionFindings
    from afterburner.agent.page.section import FigureRow
    from afterburner.agent.session.compare import ComparisonResult

FILES_SHOWN = 8
HEADLINES = {
    ComparisonDecision.DIFFERENT: "Different",
    ComparisonDecision.CONDITIONAL: "The same on a condition",
    ComparisonDecision.FASTER: "Faster",
    ComparisonDecision.SLOWER: "Slower",
    ComparisonDecision.SAME: "The same",
    ComparisonDecision.TOO_NOISY: "No answer",
}
_BELIEVED = (*MEASURED, ComparisonDecision.CONDITIONAL)  # else what was measured stands in the sentence, with why not
_PLAINLY = 1.2  # times as fast on a larger call: what a loss on small calls does not rule out
_TONES = {
    ComparisonDecision.DIFFERENT: Tone.BAD,
    ComparisonDecision.SLOWER: Tone.BAD,
    ComparisonDecision.FASTER: Tone.GOOD,
}


def section_of_comparison(result: ComparisonResult) -> PageSection:
    """What the second version is, held against the first, with all that the answer rests on."""
    compared = result.compared
    samples = _samples_of(result)
    place = path_inside(result.target.path, result.target.project_root)
    return PageSection(
        title=result.target.function or place,
        decision=HEADLINES[result.decision],
        tone=_TONES.get(result.decision, Tone.NEUTRAL),
        sentence=compared.reason,
        place=place if result.target.function else "",
        gain=compared.gain if result.decision in _BELIEVED else None,
        figures=tuple(_rows(result, samples)),
        samples=samples,
        growth=result.growth,
        patch=result.patch,
        facts=tuple(_facts(result, samples)),
        notes=tuple(findings_of(result)),
        counterexample=tuple(f"{who:<8}{text}" for who, text in counterexample_lines(compared.counterexample)),
    )


def figure_of_comparison(result: ComparisonResult) -> str:
    """The figure that the decision rests on, such as `wall time` where a version mostly waits."""
    return _figure(result, _samples_of(result))


def findings_of(result: ComparisonResult) -> Iterator[str]:
    """What was found beside the decision, a sentence each; nothing is scrubbed."""
    compared = result.compared
    if result.changed_files:
        more = len(result.changed_files) - FILES_SHOWN
        named = ", ".join(result.changed_files[:FILES_SHOWN]) + (f" and {more} more" if more > 0 else "")
        yield f"other files that differ: {named}"
    if compared.caveat:
        yield compared.caveat
    if compared.agreement is not None:
        yield f"the same on {count(len(result.workload_origins), 'input')} of the workload"
    if compared.agreement is not None and compared.agreement.inputs:
        yield f"on inputs made to find a difference: {compared.agreement.line}"
    if compared.agreement is not None and compared.agreement.caveat:
        yield compared.agreement.caveat
    if result.memory is not None:
        before, after = (format_kib(each.peak_memory_kib) for each in (result.memory.before, result.memory.after))
        yield f"memory: {before} before, {after} after"
    if result.growth is not None:
        yield f"growth: {result.growth.of_calls or result.growth.note or result.growth.disagreement}"
    if compared.on_larger:
        yield compared.on_larger + likely_gain(compared, result.growth)
    if result.assume:
        yield f"stated of every input: {'; '.join(result.assume)}"


def likely_gain(compared: VersionFindings, growth: Growth | None) -> str:
    """What the growth says of larger inputs where the calls are slower and small; empty if no gain shows there."""
    if LARGER_CALLS not in compared.larger_inputs or growth is None or not growth.points:
        return ""
    largest = growth.points[-1]
    if largest.winner_s is None or largest.winner_s * _PLAINLY > largest.original_s:
        return ""
    share = format_ratio(largest.winner_s / largest.original_s)
    return f"; AFTER takes {share} of the CPU time for {growth.scaled} = {largest.size:,}, so a gain there is likely"


def times_of(result: ComparisonResult) -> Iterator[str]:
    """The times of both versions, and of a loss how many times slower that is."""
    compared = result.compared
    if compared.before is None or compared.after is None:
        return
    for row in figure_rows(TIMES, compared.before, compared.after, OBJECTIVE_NOUN[result.objective], None):
        yield f"{row.name}: {row.before} before, {row.after} after"
    if compared.gain is not None and compared.gain.ratio < 1 and result.objective is Objective.TIME:
        yield f"after is {format_change(compared.gain.ratio)}"


def counterexample_lines(found: Counterexample | None) -> Iterator[tuple[str, str]]:
    """The calls on which the versions differ, and what each version does there."""
    if found is None:
        return
    for number, call in enumerate(found.calls):
        yield "for" if number == 0 else "then", call
    yield "before", found.expected
    yield "after", found.actual


def min_effect_text(result: ComparisonResult) -> str:
    """Which differences count as the same, and who said so."""
    return f"{result.min_effect.value:g} ({result.min_effect.source})"


def _samples_of(result: ComparisonResult) -> SampleFigures | None:
    return sample_figures(result.compared.blocks, result.objective, figures_between)


def _figure(result: ComparisonResult, samples: SampleFigures | None) -> str:
    return samples.noun if samples is not None else OBJECTIVE_NOUN[result.objective]


def _rows(result: ComparisonResult, samples: SampleFigures | None) -> Iterator[FigureRow]:
    """The times that were compared, and the memory: compared as well, or of one sample each."""
    compared, memory = result.compared, result.memory
    if compared.before is None or compared.after is None:
        return
    decides = _figure(result, samples)
    yield from figure_rows(TIMES, compared.before, compared.after, decides, compared.gain)
    if result.objective is not Objective.TIME:
        yield from figure_rows(MEMORY, compared.before, compared.after, decides, compared.gain)
    elif memory is not None:
        yield from figure_rows(MEMORY, memory.before, memory.after, decides, None)


def _facts(result: ComparisonResult, samples: SampleFigures | None) -> Iterator[tuple[str, str]]:
    root = result.target.project_root
    yield "Before", result.before_revision or path_inside(result.target.path, root)
    yield "After", result.after_revision or path_inside(result.after_path, root)
    yield "Compared", _figure(result, samples)
    if result.compared.gain is not None and samples is not None:
        yield "Samples", samples_text(result.compared.gain, samples)
    yield "Judged on", origins_text(tuple(Counter(result.workload_origins).items()))
    yield from skipped_facts(result.skipped)
    yield "Minimum effect", min_effect_text(result)
    if result.float_tolerance is not None:
        yield "Float tolerance", f"{result.float_tolerance:g}"
    yield "Seed", str(result.seed)
    yield "Measured on", machine_text(result.machine)
    yield "Took", f"{format_elapsed(result.elapsed_s)} min"

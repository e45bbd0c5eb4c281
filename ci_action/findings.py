"""Turns the results of a session into the parts of the report."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from afterburner.agent.batch.batch_results import NO_WORKLOAD, TOO_LITTLE_TIME
from afterburner.agent.code.source_text import split_lines
from afterburner.agent.code.text_edits import TextEdit, apply_edits
from afterburner.agent.inputs.build import IN_DOCSTRING
from afterburner.agent.inputs.choosing import is_invented
from afterburner.agent.inputs.inside.pytest_calls import NO_PYTEST, TEST_FAILS
from afterburner.agent.inputs.inside.written_calls import RULED_OUT
from afterburner.agent.inputs.judging import STATED_BY
from afterburner.agent.judge.confirmation import NOT_TRIED_IN_TIME
from afterburner.agent.judge.decide import TOO_LATE_TO_CONFIRM
from afterburner.agent.judge.lacking_time import OUT_OF_TIME
from afterburner.agent.judge.screening import TOO_LATE_TO_SCREEN
from afterburner.agent.judge.slower_on_larger import NOT_LARGER
from afterburner.agent.judge.version_comparison import (
    MEASURED,
    ComparisonDecision,
)
from afterburner.agent.loop.results import why_none
from afterburner.agent.loop.right_candidates import right_candidates
from afterburner.agent.options import DEFAULT_MIN_EFFECT
from afterburner.agent.page.comparison_section import figure_of_comparison, likely_gain, section_of_comparison
from afterburner.agent.page.run_section import figure_of_run, section_of_run
from afterburner.agent.stated_assumptions import ASSUMED, with_other_advice
from afterburner.agent.types import Decision as AgentDecision
from afterburner.agent.wording import count, format_by_size, format_ratio
from afterburner.ci_action.report.document import (
    LONGEST_BLOCK,
    CounterexamplePart,
    Decision,
    EditPart,
    FiguresPart,
    FunctionPart,
    GainPart,
    LossPart,
    RewritePart,
)
from afterburner.ci_action.report.words import few_of, one_line, own_option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from afterburner.agent.batch.batch_results import Outcome
    from afterburner.agent.evidence.growth import Growth
    from afterburner.agent.judge.verification.outcome import Counterexample
    from afterburner.agent.judge.version_comparison import VersionFindings
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.page.section import PageSection
    from afterburner.agent.session.compare import ComparisonResult
    from afterburner.agent.types import Gain, Skipped
    from afterburner.ci_action.changes import ChangedFunction

MOST_CODE = 60_000  # characters of a patch, and of all the edits of a rewrite
_KINDS = re.compile(r"(the same on \d+ inputs?): [^;]*")  # how many of which kind: the page has room for that
_CALLS = re.compile(r"\b(?:add|give) ((?:shorter )?calls [^;]*?) with --calls\b")  # likewise
_SAID = (
    (STATED_BY, "by `Requires:`"),
    (RULED_OUT, "calls that the type hints or `Requires:` rule out"),
    (ASSUMED, '"'),  # of one that is not advised
)
_MOST_EDITS = 200
_MOST_REQUIRED = 20
_MOST_EXAMPLE = 200  # characters
_LOSS = 0.95
_STEEPER = 0.3  # of measured exponents; less may be chance
_TESTS = "pytest"  # the origin of what they give; of one test `pytest: tests/test_a.py::test_b`
_LATER = f"{TOO_LITTLE_TIME}; allow more minutes, or fewer functions"
_LATE = (OUT_OF_TIME, TOO_LATE_TO_CONFIRM, TOO_LATE_TO_SCREEN)
_INTERRUPTED = "the run was interrupted"


@dataclass(frozen=True, slots=True)
class Place:
    """A function of the pull request, and how hot it is.

    Attributes:
        function: as the pull request has it.
        share: of all profiled CPU time, what a rewrite could save at best; None: nothing was profiled.
        test_files: that call it.
    """

    function: ChangedFunction
    share: float | None
    test_files: tuple[str, ...] = ()


def part_of_outcome(
    place: Place, outcome: Outcome, receipt: str | None, *, merged: bool, cut_short: bool
) -> FunctionPart:
    """What became of a function that was to be made faster.

    Args:
        place: the function.
        outcome: of its run.
        receipt: the file of its receipt, beside the report.
        merged: whether its rewrite is one of those that were tested together.
        cut_short: whether more time might have given an offer, of a function that was looked at.
    """
    result = outcome.result
    if result is None:
        decision = Decision.FAILED if outcome.decision == NO_WORKLOAD else Decision(outcome.decision)
        reason = _in_words_of_prove(outcome.reason)
        return _part(place, decision, reason, 0.0, cut_short=outcome.reason == TOO_LITTLE_TIME)
    is_offered = result.improved and result.gain is not None
    return _part(
        place,
        Decision(outcome.decision),
        _in_words_of_prove(_with_example(outcome.reason, result)) + (_looked(result) if cut_short else ""),
        result.elapsed_s,
        gain=_gain(result.gain, figure_of_run(result)) if is_offered else None,
        figures=FiguresPart(
            before_cpu_s=result.original.cpu_time_s,
            after_cpu_s=result.best.cpu_time_s,
            before_peak_kib=float(result.original.peak_memory_kib),
            after_peak_kib=float(result.best.peak_memory_kib),
        )
        if is_offered
        else None,
        losses=_losses(result) if is_offered else [],
        caveat=_in_words_of_prove(result.caveat) if is_offered else "",
        evidence=list(map(_in_words_of_prove, _evidence_of_run(result))) if is_offered else [],
        skipped=result.skipped,
        rewrite=_rewrite(place, result, receipt, merged=merged) if is_offered else None,
        cut_short=cut_short,
    )


def _with_example(reason: str, result: RunResult) -> str:
    """Why nothing is offered, with what the first wrong rewrite does where it counts wrong ones."""
    wrong = [each for each in result.candidates if each.decision is AgentDecision.WRONG]
    shown = [each.counterexample or each.reason for each in wrong[:1]]
    if not shown or shown[0] in reason:
        return reason
    example = one_line(shown[0], _MOST_EXAMPLE)
    told = example if len(wrong) == 1 else f"the first: {example}"
    return reason.replace(why_none(result.candidates), why_none(result.candidates, told), 1)


def _looked(result: RunResult) -> str:
    """What the best rewrite that was timed looked like when the time was over; empty: none looked better."""
    best = next(iter(right_candidates(result)), None)
    if best is None or best.over_original <= 1 + DEFAULT_MIN_EFFECT:
        return ""
    return (
        f"; a rewrite ({best.id}) looked {format_ratio(best.over_original)} better in screening, which proves nothing"
    )


def part_of_comparison(place: Place, result: ComparisonResult) -> FunctionPart:
    """What the pull request's version of a function is, held against the base's."""
    found = result.compared
    unseen = _tests_that_cannot_run(result)
    evidence = list(map(_in_words_of_measure, _evidence_of_comparison(result)))
    if unseen and found.decision not in {ComparisonDecision.SLOWER, ComparisonDecision.DIFFERENT}:
        reason = f"none of its inputs is from a real call: {unseen}"
        return _part(place, Decision.FAILED, reason, result.elapsed_s, evidence=evidence, skipped=result.skipped)
    has_gain = found.gain is not None and found.decision in MEASURED
    return _part(
        place,
        Decision(found.decision.value),
        _reason_of_comparison(result),
        result.elapsed_s,
        gain=_gain(found.gain, figure_of_comparison(result)) if has_gain else None,
        figures=_figures_of_comparison(result) if has_gain else None,
        caveat=_in_words_of_measure(found.caveats),
        larger_inputs=_in_words_of_measure(found.tried_larger) if result.real_calls_alone else "",
        real_kinds_alone=found.agreement is not None and found.agreement.beyond_calls is not None,
        evidence=evidence,
        skipped=result.skipped,
        counterexample=_counterexample(found.counterexample) if found.counterexample is not None else None,
        cut_short=_lacked_time(found),
    )


def _lacked_time(found: VersionFindings) -> bool:
    """Whether there is no answer, and more time might have given one."""
    if found.decision is not ComparisonDecision.TOO_NOISY or found.objection:
        return False
    return found.lacks_larger or found.reason in _LATE or found.reason.endswith(NOT_TRIED_IN_TIME)


def _reason_of_comparison(result: ComparisonResult) -> str:
    """The reason; where only slow-downs were looked for, how much of the time the new version takes."""
    found = result.compared
    if result.real_calls_alone and found.gain is not None and found.counterexample is None and not found.objection:
        low, high = 1 / found.gain.high if found.gain.high else 0.0, 1 / max(found.gain.low, 1e-9)
        what = figure_of_comparison(result).replace("CPU time", "time")
        told = f"{format_ratio(1 / found.gain.ratio)} of the {what} ({format_ratio(low)} to {format_ratio(high)})"
        more, is_noisy = found.tried_larger, found.decision is ComparisonDecision.TOO_NOISY
        if found.decision is ComparisonDecision.SLOWER:
            told += _grows_faster(result.growth)
        elif found.lacks_larger:
            told += f", but {NOT_LARGER}"
        elif is_noisy:
            told, more = f"{told}, too noisy to tell", found.on_larger
        return f"{told}{more and f'; {more}'}"
    return _in_words_of_measure(found.reason)


def section_of_outcome(result: RunResult) -> PageSection:
    """The page's section on a rewrite."""
    return _section_in_words_of_ci(section_of_run(result), _in_words_of_prove)


def section_of_change(result: ComparisonResult) -> PageSection:
    """The page's section on the pull request's version of a function."""
    return _section_in_words_of_ci(section_of_comparison(result), _in_words_of_measure)


def _section_in_words_of_ci(section: PageSection, in_words: Callable[[str], str]) -> PageSection:
    """A section whose texts name no option that `ci` lacks."""
    return replace(
        section,
        sentence=in_words(section.sentence),
        facts=tuple((label, in_words(text)) for label, text in section.facts),
        notes=tuple(map(in_words, section.notes)),
        candidates=tuple(replace(each, reason=in_words(each.reason)) for each in section.candidates),
    )


def _in_words_of_prove(reason: str) -> str:
    """A reason why a rewrite is offered or not."""
    return _in_words_of_ci(reason, "in the docstring, or type hints", "add a test")


def _in_words_of_measure(reason: str) -> str:
    """A reason for what a pull request's version is."""
    return _in_words_of_ci(reason, "in the docstring of the base", "add a test to the base")


def _in_words_of_ci(reason: str, where: str, add_test: str) -> str:
    """A reason with what `ci` has in place of a run's options: a place to state it, a test to add, its own time."""
    stated = with_other_advice(reason, lambda expressions: f"state it with {_required(expressions)} {where}")
    for of_a_run, of_ci in _SAID:
        stated = stated.replace(of_a_run, of_ci)
    return own_option(_CALLS.sub(rf"{add_test} that makes \1", stated))


def _required(expressions: Sequence[str]) -> str:
    """The lines of a docstring that state these, ready to be pasted, with each backslash as most docstrings need it."""
    first, *others = [f"`{each}`" for each in (text.replace("\\", "\\\\") for text in expressions)]
    in_raw = " (in a raw docstring each backslash once)" if any("\\" in each for each in expressions) else ""
    if not others:
        return f"`Requires: {first[1:]}{in_raw}"
    *most, last = first, *others
    return f"`Requires:` and, indented below it, the lines {', '.join(most)} and {last}{in_raw}"


def _grows_faster(growth: Growth | None) -> str:
    """What makes a small loss on the calls of the tests a large one on more data; empty: nothing is known to."""
    if growth is None or growth.original is None or growth.winner is None or not growth.sentence:
        return ""
    is_steeper = growth.winner.exponent > growth.original.exponent + _STEEPER
    if not (is_steeper and growth.is_worse):
        return ""
    return f", and it grows faster with {growth.scaled}: {growth.sentence}"


def part_of_failure(place: Place, reason: str, elapsed_s: float) -> FunctionPart:
    """A function that could not be looked at."""
    return _part(place, Decision.FAILED, reason, elapsed_s)


def part_not_reached(place: Place) -> FunctionPart:
    """A function that no time was left for."""
    return _part(place, Decision.NOT_REACHED, _LATER, 0.0, cut_short=True)


def part_interrupted(place: Place) -> FunctionPart:
    """A function that an interrupted run did not look at, or not to the end."""
    return _part(place, Decision.INTERRUPTED, _INTERRUPTED, 0.0)


def _part(
    place: Place,
    decision: Decision,
    reason: str,
    elapsed_s: float,
    *,
    gain: GainPart | None = None,
    losses: list[LossPart] | None = None,
    figures: FiguresPart | None = None,
    caveat: str = "",
    larger_inputs: str = "",
    real_kinds_alone: bool = False,
    evidence: list[str] | None = None,
    skipped: Sequence[Skipped] = (),
    counterexample: CounterexamplePart | None = None,
    rewrite: RewritePart | None = None,
    cut_short: bool = False,
) -> FunctionPart:
    function = place.function
    return FunctionPart(
        file=function.file,
        function=function.name,
        line=function.first_line,
        last_line=function.last_line,
        blob=function.blob,
        source_sha256=function.source_sha256,
        decision=decision,
        reason=one_line(own_option(reason)),
        share=None if place.share is None else min(max(place.share, 0.0), 1.0),
        gain=gain,
        losses=losses or [],
        figures=figures,
        caveat=one_line(caveat),
        larger_inputs=one_line(larger_inputs),
        real_kinds_alone=real_kinds_alone,
        evidence=[one_line(each) for each in evidence or []],
        left_out_requirements=[one_line(each.reason) for each in skipped if each.origin == IN_DOCSTRING][
            :_MOST_REQUIRED
        ],
        counterexample=counterexample,
        rewrite=rewrite,
        cut_short=cut_short,
        elapsed_s=elapsed_s,
    )


def _gain(gain: Gain | None, figure: str) -> GainPart | None:
    if gain is None or not math.isfinite(gain.ratio):
        return None
    high = gain.high if math.isfinite(gain.high) else None
    told = {"ratio": gain.ratio, "low": gain.low, "high": high, "confidence": gain.confidence, "figure": figure}
    return GainPart.model_validate(told)


def _rewrite(place: Place, result: RunResult, receipt: str | None, *, merged: bool) -> RewritePart | None:
    """The rewrite; None if it is too large for a comment, so that only the artifact has it."""
    edits = [EditPart(first=each.start_line + 1, last=each.end_line, text=each.new_text) for each in result.edits]
    size = max(len(result.patch), sum(len(each.text) for each in edits))
    if size > MOST_CODE or len(edits) > _MOST_EDITS:
        return None
    return RewritePart(
        patch=result.patch,
        edits=edits,
        block=_block(result),
        merged=merged,
        is_executable=place.function.is_executable,
        receipt=receipt,
    )


def _block(result: RunResult) -> EditPart | None:
    """All edits as one block of lines in place of at least one: what a suggestion is. None: they are too far apart."""
    edits, old = result.edits, split_lines(result.target.source)
    first, end = edits[0].start_line, max(each.end_line for each in edits)
    if end == first:  # lines that are only put in: the line before them, or else the one behind, comes along
        first, end = (first - 1, end) if first else (first, end + 1)
    if end - first > LONGEST_BLOCK or "\r" in result.target.source.replace("\r\n", ""):
        return None  # GitHub counts no line at a lone carriage return
    inside = [TextEdit(each.start_line - first, each.end_line - first, each.new_text) for each in edits]
    return EditPart(first=first + 1, last=end, text=apply_edits("".join(old[first:end]), inside))


def _losses(result: RunResult) -> list[LossPart]:
    """Where the rewrite is slower; a ratio nearer to 1 is noise."""
    if result.by_size is None:
        return []
    sizes: list[tuple[Literal["small", "large"], float]] = [
        ("small", result.by_size.small),
        ("large", result.by_size.large),
    ]
    return [LossPart(inputs=size, times_slower=1 / ratio) for size, ratio in sizes if 0 < ratio < _LOSS]


def _evidence_of_run(result: RunResult) -> Iterator[str]:
    yield f"judged on {_inputs(result.workload_origins)}; {result.held_out.inputs} of them were held out"
    growth = result.evidence.growth if result.evidence else None
    if growth is not None and growth.sentence:
        yield f"growth with {growth.scaled}: {growth.of_calls}"
    if result.evidence is not None and result.evidence.larger_inputs:
        yield result.evidence.larger_inputs
    if result.by_size is not None:
        yield f"by size: {format_by_size(result.by_size.small, result.by_size.large)}"
    yield from (_KINDS.sub(r"\1", note) for note in result.notes[:10] if note != result.caveat)


def _evidence_of_comparison(result: ComparisonResult) -> Iterator[str]:
    agreement = result.compared.agreement
    if agreement is not None:
        yield f"the same on {_inputs(Counter(result.workload_origins).items())}"
        if agreement.inputs:
            yield f"the same on {count(agreement.inputs, 'input')} made to find a difference"
        yield from _tests_without_use(result.skipped, result.workload_origins)
        yield from filter(None, (agreement.remark, agreement.reached, agreement.beyond))
    growth, is_slower = result.growth, result.compared.decision is ComparisonDecision.SLOWER
    if growth is not None and growth.sentence and (growth.is_worse or not is_slower):  # nothing else speaks for a loss
        yield f"growth with {growth.scaled}: {growth.of_calls}"
    if result.compared.on_larger:
        yield result.compared.on_larger + likely_gain(result.compared, growth)
    if result.changed_files:
        named = ", ".join(result.changed_files[:5])
        more = len(result.changed_files) - 5
        others = f"{named} and {more} more" if more > 0 else named
        yield f"each version ran among its own files; these differ, too: {others}"


def _tests_that_cannot_run(result: ComparisonResult) -> str:
    """What keeps the project's tests from being run, where inputs were made for want of real calls; else empty."""
    if not all(map(is_invented, result.workload_origins)):
        return ""
    return next((each.reason for each in result.skipped if each.origin == _TESTS and NO_PYTEST in each.reason), "")


def _tests_without_use(skipped: Sequence[Skipped], origins: Iterable[str]) -> Iterator[str]:
    """Which tests fail, and why none gave inputs: a reader has to know that the answer rests on none."""
    failing = [each for each in skipped if each.origin.startswith(f"{_TESTS}: ") and each.reason.startswith(TEST_FAILS)]
    if failing:
        names = few_of([each.origin.removeprefix(f"{_TESTS}: ") for each in failing])
        yield f"tests that fail on the original, too: {names} ({failing[0].reason.removeprefix(TEST_FAILS)})"
    if not any(name.startswith(_TESTS) for name in origins):
        yield from (f"no inputs from the project's tests: {each.reason}" for each in skipped if each.origin == _TESTS)


def _inputs(origins: Iterable[tuple[str, int]]) -> str:
    """`12 inputs (captured from tests/test_a.py)`."""
    counted = list(origins)
    names = ", ".join(name for name, _ in counted[:3]) + (", …" if len(counted) > 3 else "")
    return f"{count(sum(number for _, number in counted), 'input')} ({names})"


def _figures_of_comparison(result: ComparisonResult) -> FiguresPart | None:
    before, after = result.compared.before, result.compared.after
    if before is None or after is None:
        return None
    memory = result.memory
    return FiguresPart(
        before_cpu_s=before.cpu_time_s,
        after_cpu_s=after.cpu_time_s,
        before_peak_kib=float(memory.before.peak_memory_kib) if memory else None,
        after_peak_kib=float(memory.after.peak_memory_kib) if memory else None,
    )


def _counterexample(found: Counterexample) -> CounterexamplePart:
    calls = [one_line(each) for each in found.calls[:20]]
    before, after = one_line(found.expected), one_line(found.actual)
    if before == after:  # what differs is not in what is returned, or is which objects these are
        after = one_line(found.difference)
    return CounterexamplePart(calls=calls, before=before, after=after)

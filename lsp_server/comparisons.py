"""What a comparison with the last commit found, in words: first what differs, then on what condition it does not."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from afterburner.agent.inputs.written_calls import NONE_FROM_PROJECT, invented_inputs
from afterburner.agent.judge.version_comparison import ComparisonDecision
from afterburner.agent.page.comparison_section import HEADLINES, counterexample_lines, findings_of, times_of
from afterburner.agent.types import Objective
from afterburner.agent.wording import count, format_change, shorten_middle
from afterburner.lsp_server.conditions import given

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.judge.verification.outcome import Counterexample
    from afterburner.agent.session.compare import ComparisonResult

_MOST_CALL, _MOST_OUTCOME = 200, 120  # characters in a message; the log has all of them
_SHORTENED = "…"  # stands for what is left out of a call
_TOLD_WITH_INPUTS = (ComparisonDecision.FASTER, ComparisonDecision.SLOWER, ComparisonDecision.TOO_NOISY)
_NOT_MEASURED = "Which of the two is faster was not measured."
_NOTE = "before: the last commit{commit}; after: the text in the editor"
_COMMIT_SHOWN = 12  # characters


def message_of_comparison(result: ComparisonResult) -> str:
    """What to tell of a comparison, in a few sentences."""
    return " ".join(_sentences(result))


def details_of_comparison(result: ComparisonResult) -> str:
    """All that the comparison rests on, in lines, as `afterburner-agent compare` prints it."""
    commit = f" {result.before_revision[:_COMMIT_SHOWN]}" if result.before_revision else ""
    found = result.compared.counterexample
    lines = [f"{who:<8}{text}" for who, text in counterexample_lines(found)]
    lines += [_NOTE.format(commit=commit), *times_of(result), *findings_of(result), *_whole_calls(found)]
    return "\n".join(f"    {line}" for line in lines)


def _whole_calls(found: Counterexample | None) -> Iterator[str]:
    """The test of a counterexample, where the text of its calls is shortened."""
    if found is not None and any(_SHORTENED in each for each in found.calls) and found.test.startswith("def "):
        yield "all of the call, in a test:"
        yield from (f"    {line}".rstrip() for line in found.test.splitlines())


def _sentences(result: ComparisonResult) -> Iterator[str]:
    compared, headline = result.compared, HEADLINES[result.decision].lower()
    found = compared.counterexample
    if result.decision is not ComparisonDecision.DIFFERENT:  # one difference is enough for that, whatever is stated
        headline = ", ".join(filter(None, [headline, given(result.assume)]))
    if found is None:
        yield f"{headline}: {_with_speed(result)}."
    else:
        yield f"{headline}. {_difference(found)}"
        yield from (f"{each[0].upper()}{each[1:]}." for each in _remarks(found))
    if compared.gain is None and found is not None:
        yield _NOT_MEASURED


def _with_speed(result: ComparisonResult) -> str:
    """The reason, with the figure the way that nobody has to invert it, and with what limits it."""
    compared = result.compared
    told = [compared.reason]
    if (
        result.decision is ComparisonDecision.SLOWER
        and compared.gain is not None
        and result.objective is Objective.TIME
    ):
        told.append(f"your change is {format_change(compared.gain.ratio)}")
    if result.decision in _TOLD_WITH_INPUTS and compared.agreement is not None:
        told.append(f"no difference was found on {count(compared.agreement.inputs, 'input')}")
        told.append(compared.agreement.reached)
        invented = invented_inputs(Counter(result.workload_origins).items())
        told.append(f"{NONE_FROM_PROJECT}: {invented}" if invented else "")
    return "; ".join(filter(None, [*told, compared.caveats]))


def _difference(found: Counterexample) -> str:
    """What each version does on the call on which they differ."""
    calls = shorten_middle(found.shown_calls, _MOST_CALL)
    seed = f" with PYTHONHASHSEED={found.hash_seed}" if found.hash_seed else ""
    chance = "" if found.every_time else " (not every time)"
    before, after = (shorten_middle(each, _MOST_OUTCOME) for each in (found.expected, found.actual))
    place = f"{calls[0].upper()}{calls[1:]}" if len(found.calls) > 1 else f"On {calls}"
    return f"{place}{seed}, the last commit {before}, your change {after}{chance}."


def _remarks(found: Counterexample) -> Iterator[str]:
    if found.condition:
        yield f"it is {found.condition}"
    elif found.rounding is not None:
        yield found.rounding.words
    if found.remark:
        yield found.remark

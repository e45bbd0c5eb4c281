"""What is said of a function and of a whole report, in plain words that hold nothing foreign."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.wording import GAINS, count, format_ratio
from afterburner.ci_action.report.document import Decision, Mode

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.ci_action.report.document import CiDocument, FunctionPart, GainPart

_BETTER = {"time": "faster", "memory": "less peak memory", "integral": "less memory over time"}
_WORSE = {"time": "of the time", "memory": "of the peak memory", "integral": "of the memory over time"}
_WALL = "wall time"  # as a gain's `figure` has it
_OTHERS = {
    Decision.CONDITIONAL: "the same only on a condition",
    Decision.NO_IMPROVEMENT: "nothing better was found",
    Decision.NOTHING_TO_PROPOSE: "no rule fits it",
    Decision.DIFFERENT: "behaves differently",
    Decision.TOO_NOISY: "no answer",
    Decision.FAILED: "could not be looked at",
    Decision.INTERRUPTED: "no answer",
    Decision.NOT_REACHED: "not reached in time",
}
_OF_REGRESSIONS = {
    Decision.CONDITIONAL: "not slower on the calls that were seen",
    Decision.DIFFERENT: "no answer, as it behaves differently",
}
_FAR_SLOWER = "far slower: it reached the time limit"
_NOTHING_CHANGED = "No function that both commits have was changed in a file that counts"
_UNPROVEN = (  # what speaks against a claim, the gravest first
    (Decision.DIFFERENT, "different in behaviour"),
    (Decision.SLOWER, "slower"),
    (Decision.CONDITIONAL, "the same only on a condition"),
)


def verdict(function: FunctionPart, document: CiDocument) -> str:
    """`8.31x faster (7.90x to 8.62x)`, `slower: 2.10x of the time (2.00x to 2.21x)`, `as before, within 5%`.

    A time that is not CPU time is named: `8.31x faster in wall time`, `slower: 2.10x of the wall time`.
    """
    gain, objective = function.gain, document.objective
    is_wall = gain is not None and gain.figure == _WALL
    if function.decision in (Decision.IMPROVED, Decision.FASTER) and gain is not None:
        losses = "".join(
            f"; {format_ratio(each.times_slower)} slower on {each.inputs} inputs" for each in function.losses
        )
        better = f"{_BETTER[objective]} in {_WALL}" if is_wall else _BETTER[objective]
        return f"{format_ratio(gain.ratio)} {better} ({_interval(gain)}){losses}"
    if function.decision is Decision.SLOWER:
        worse = f"of the {_WALL}" if is_wall else _WORSE[objective]
        return _FAR_SLOWER if gain is None else f"slower: {_loss(gain, worse)}"
    if document.mode is Mode.REGRESSIONS and function.decision in _OF_REGRESSIONS:
        return _OF_REGRESSIONS[function.decision]
    if function.decision is Decision.SAME:
        return f"as before, within {document.min_effect:.0%}"
    return _OTHERS.get(function.decision, function.decision.value.replace("_", " "))


def explained(function: FunctionPart, document: CiDocument) -> str:
    """The verdict, the reason where the verdict does not say it, and what of the docstring states nothing."""
    return "; ".join([_with_reason(function, document), *left_out_requirements(function)])


def left_out_requirements(function: FunctionPart) -> list[str]:
    """Which lines below `Requires:` in the docstring state nothing, and why."""
    return [f"left out of `Requires:` in the docstring: {each}" for each in function.left_out_requirements]


def _with_reason(function: FunctionPart, document: CiDocument) -> str:
    """The verdict, and the reason where the verdict does not say it: a gain says all but what larger inputs show."""
    said = verdict(function, document)
    if function.gain is not None:
        more = f"; {function.larger_inputs}" if function.larger_inputs else ""
        return f"{said}{with_caveat(function)}{more}"
    if function.reason == said or function.reason.startswith(f"{said}: "):
        return function.reason
    if said == _FAR_SLOWER:
        return f"far slower: {function.reason}"  # it tells of the limit
    if function.decision is Decision.NO_IMPROVEMENT:
        return function.reason
    return f"{said}: {function.reason}"


def with_caveat(function: FunctionPart, shown: Callable[[str], str] = str) -> str:
    """What has to be known of a verdict, to stand behind it; empty: nothing. `shown` is how the words are written."""
    is_limited = function.caveat.startswith("only ") or GAINS in function.caveat
    is_more = function.decision is Decision.SLOWER and not is_limited
    joined = "and" if is_more else "but"
    return f", {joined} {shown(function.caveat)}" if function.caveat else ""


def _loss(gain: GainPart, of_what: str) -> str:
    """`2.10x of the time (2.00x to 2.21x)`; a figure that is 0 has no bound."""
    if not gain.ratio:
        return "by more than a number can tell"
    told = f"{format_ratio(1 / gain.ratio)} {of_what}"
    if not gain.low:
        return f"{told} ({format_ratio(1 / gain.high)} or more)" if gain.high else told
    low = f"{format_ratio(1 / gain.high)} to " if gain.high else "up to "
    return f"{told} ({low}{format_ratio(1 / gain.low)})"


def _interval(gain: GainPart) -> str:
    high = f" to {format_ratio(gain.high)}" if gain.high is not None else " or more"
    return f"{format_ratio(gain.low)}{high}"


def headline(document: CiDocument) -> str:
    """One line on the whole report, with how many functions `max-functions` left out."""
    beyond = document.beyond_max_functions
    left_out = f"; {beyond} more {'was' if beyond == 1 else 'were'} left out by --max-functions" if beyond else ""
    return f"{_headline_of_run(document)}{left_out}"


def _headline_of_run(document: CiDocument) -> str:
    """What was found; of an interrupted run, also how much it has not looked at."""
    if not document.interrupted:
        return _headline_of_results(document)
    interrupted = "the run was interrupted"
    if rest := len(document.not_looked_at):
        what = "function" if document.mode is Mode.SCHEDULE else "changed function"
        interrupted += f" before there was an answer for {count(rest, what)}"
    if rest == len(document.functions):
        return f"{interrupted[0].upper()}{interrupted[1:]}"
    return f"{_headline_of_results(document)}; {interrupted}"


def _headline_of_results(document: CiDocument) -> str:
    if document.mode is Mode.REGRESSIONS:
        return _headline_of_regressions(document)
    return _headline_of_proof(document) if document.mode is Mode.PROVE else _headline_of_rewrites(document)


def _headline_of_regressions(document: CiDocument) -> str:
    """Only what was compared counts as not slower."""
    slower, total = document.of(Decision.SLOWER), document.considered
    if slower:
        return f"{_number(len(slower), 'slower')} than at the base{_unanswered_besides(document)}"
    compared = document.of(Decision.FASTER, Decision.SAME, Decision.CONDITIONAL)
    if not total:
        return _NOTHING_CHANGED if not document.left_out else "Nothing could be compared"
    if len(compared) == total:
        return f"No slow-down was found in {count(total, 'changed function')}"
    unknown = f"no answer for {count(total - len(compared), 'changed function')}"
    if not compared:
        return unknown.capitalize()
    return f"No slow-down in {count(len(compared), 'changed function')}, and {unknown}"


def _headline_of_proof(document: CiDocument) -> str:
    if not document.functions:
        return "Nothing could be compared" if document.left_out else _NOTHING_CHANGED
    for decision, what in _UNPROVEN:
        if found := document.of(decision):
            return f"Not proven: {_number(len(found), what)}{_unanswered_besides(document)}"
    if faster := document.of(Decision.FASTER):
        of_all = f"{len(faster)} of {count(document.considered, 'changed function')}"
        return f"Proven: {of_all} faster{_unanswered_besides(document)}"
    unknown = len(document.of(Decision.TOO_NOISY, Decision.FAILED))
    no_answer = f"no answer for {count(unknown, 'changed function')}" if unknown else ""
    return f"Not proven: {_too_late(document) or no_answer or 'no function is faster'}"


def _unanswered_besides(document: CiDocument) -> str:
    """`; 1 more could not be compared, as it behaves differently`; empty: there is an answer for all others.

    What an interrupted run left is no part of this: the headline tells of it besides.
    """
    told = document.not_looked_at if document.interrupted else []
    unknown = [each for each in document.without_answer if each not in told]
    different = [each for each in unknown if each.decision is Decision.DIFFERENT]
    number = len(unknown) + sum(each.function is not None for each in document.left_out) - document.beyond_max_functions
    if not number:
        return ""
    if len(different) < number:
        return f"; there is no answer for {number} more"
    return f"; {number} more could not be compared, as {'it behaves' if number == 1 else 'they behave'} differently"


def _too_late(document: CiDocument) -> str:
    """`the time ended before 1 function was decided, and there is no answer for 1 more`; empty: there was time for all.

    What an interrupted run left is no part of this: the headline tells of it besides.
    """
    late = sum(each.cut_short or each.decision is Decision.NOT_REACHED for each in document.functions)
    if not late:
        return ""
    unknown = sum(not each.cut_short for each in document.of(Decision.TOO_NOISY, Decision.FAILED))
    besides = f", and there is no answer for {unknown} more" if unknown else ""
    return f"the time ended before {count(late, 'function')} {'was' if late == 1 else 'were'} decided{besides}"


def _number(number: int, what: str) -> str:
    return f"{count(number, 'function')} {'is' if number == 1 else 'are'} {what}"


def _headline_of_rewrites(document: CiDocument) -> str:
    improved = document.of(Decision.IMPROVED)
    if not document.considered and document.mode is Mode.OPTIMIZE:
        if document.left_out:
            return "No changed function was looked at"
        return "No function was added or changed in a file that counts"
    if not improved and not document.not_failed and (document.functions or document.left_out):
        return f"No {'changed ' if document.mode is Mode.OPTIMIZE else ''}function was looked at"
    if not improved:
        rewrite = f"No {'faster' if document.objective == 'time' else 'leaner'} rewrite was"
        late = _too_late(document)
        return f"{rewrite} proven: {late}" if late else f"{rewrite} found"
    where = "" if document.mode is Mode.SCHEDULE else " of this pull request"
    better = "be faster" if document.objective == "time" else "use less memory"
    return f"{count(len(improved), 'function')}{where} can {better}"


def has_something_to_say(document: CiDocument) -> bool:
    """Whether the report is worth a comment: a rewrite, a slow-down, or an answer to a pull request's claim."""
    if document.mode in (Mode.OPTIMIZE, Mode.SCHEDULE):
        return bool(document.of(Decision.IMPROVED))
    if document.mode is Mode.REGRESSIONS:
        return bool(document.of(Decision.SLOWER))
    return bool(document.functions)


def told_functions(document: CiDocument) -> list[FunctionPart]:
    """The functions that the summary's table has: in a pull request's proof all, otherwise those that matter."""
    if document.mode is Mode.PROVE:
        return list(document.functions)
    wanted = {Mode.REGRESSIONS: Decision.SLOWER}.get(document.mode, Decision.IMPROVED)
    return document.of(wanted)

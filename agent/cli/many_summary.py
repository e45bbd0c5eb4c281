"""The table of a run over many targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from afterburner.agent.batch.batch_results import NOTHING_TO_PROPOSE
from afterburner.agent.inputs.written_calls import NONE_FROM_PROJECT
from afterburner.agent.usage import told
from afterburner.agent.wording import count, format_ratio, format_share
from afterburner.sandbox.terminal.text import display_path, scrub, scrub_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from afterburner.agent.batch.batch_results import ManyResult, Outcome

_STYLES = {"improved": "green", "failed": "red", "no_improvement": "yellow", "conditional": "magenta"}
PASSED_OVER = NOTHING_TO_PROPOSE
NAMED = 5


def print_many(console: Console, many: ManyResult, patches: dict[int, str]) -> None:
    """Print a row for each target that was tried, what was passed over, and whether the tests still pass."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("target", "share", "decision", "gain", "interval", "patch or why not"):
        table.add_column(column, overflow="fold", justify="right" if column in {"share", "gain"} else "left")
    for place, outcome in enumerate(many.outcomes):
        if outcome.decision == PASSED_OVER:
            continue
        gain = outcome.result.gain if outcome.result is not None and outcome.decision == "improved" else None
        table.add_row(
            f"{display_path(outcome.target.path)} {scrub_line(outcome.target.function)}",
            format_share(outcome.target.share, 1),
            Text(outcome.decision.replace("_", " "), style=_STYLES.get(outcome.decision, "dim")),
            format_ratio(gain.ratio) if gain else "-",
            f"{format_ratio(gain.low)} to {format_ratio(gain.high)}" if gain else "-",
            patches.get(place, "" if gain else scrub_line(_first_sentences(outcome.reason))),
        )
    console.print(table)
    console.print()
    _print_below(console, many)
    if line := passed_over_line(many):
        console.print(scrub_line(line), soft_wrap=True)
    for path, function in many.merged.left_out:
        line = f"{display_path(path)} {scrub_line(function)} does not go together with an offer above: apply it alone."
        console.print(line, soft_wrap=True)
    for outcome in many.outcomes:
        invented = outcome.result.invented_inputs if outcome.result is not None and outcome.result.improved else ""
        if invented:
            line = f"{scrub_line(outcome.target.function)}: {NONE_FROM_PROJECT}: {invented}."
            console.print(scrub_line(line), style="yellow", soft_wrap=True)
    for line, style in tests_lines(many):
        console.print(scrub_line(line), style=style, soft_wrap=True)
    if many.usage is not None:
        console.print(f"Model use: {told(many.usage)}", soft_wrap=True)
    console.print(improved_line(many), style="green" if many.found else "yellow", soft_wrap=True)


def _first_sentences(reason: str) -> str:
    """The first line of a reason, without the words that lead to a list below it."""
    first, more, _ = reason.partition("\n")
    return first.rpartition(". ")[0] + "." if more and first.endswith(":") and ". " in first else first


def _print_below(console: Console, many: ManyResult) -> None:
    """Print the lines of reasons that the table has no room for, and what to tell of the profile."""
    for outcome in many.outcomes:
        rest = outcome.reason.splitlines()[1:] if outcome.decision != PASSED_OVER else []
        if rest:
            console.print(f"Why not {scrub_line(outcome.target.function)}:", style="bold", soft_wrap=True)
            console.print(Text(scrub("\n".join(rest))), soft_wrap=True)
            console.print()
    for line in many.survey_note.splitlines():
        console.print(scrub_line(line), style="yellow", soft_wrap=True)


def improved_line(many: ManyResult) -> str:
    """How many of the functions that were tried are better now, and how many could not be."""
    without = many.turns - many.tried
    return f"{len(many.found)} of {count(many.tried, 'function')} improved{_without(without)}."


def _without(inputs: int) -> str:
    return f"; {inputs} more {'has' if inputs == 1 else 'have'} no inputs" if inputs else ""


def passed_over_line(many: ManyResult) -> str:
    """The functions that no rule fits, and how much of the time is theirs; empty if there are none."""
    passed_over: list[Outcome] = [outcome for outcome in many.outcomes if outcome.decision == PASSED_OVER]
    if not passed_over:
        return ""
    share = min(sum(outcome.target.share for outcome in passed_over), 1.0)  # time in callees may count twice
    names = ", ".join(outcome.target.function for outcome in passed_over[:NAMED])
    more = ", …" if len(passed_over) > NAMED else ""
    return (
        f"No rule fits {count(len(passed_over), 'function')} with {format_share(share, 1)} of the time: {names}{more}."
    )


def tests_lines(many: ManyResult) -> Iterator[tuple[str, str]]:
    """What the tests with all offers in place say, and in which colour."""
    if many.tests_note:
        yield f"{many.tests_note}.", "yellow"
    if many.tests is None:
        return
    what = "The command" if many.settings.batch.command else "The project's tests"
    if not many.tests.green:
        yield f"{what}: {many.tests.objection}.", "red" if many.tests.broken else "yellow"
        return
    after = many.tests.after
    known = f"; {count(len(after.failing), 'test')} failed before as well" if after.failing else ""
    yield f"{what} passed with all offers in place ({after.passed} passed{known}).", "green"

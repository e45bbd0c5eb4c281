"""The table of a run over many targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from afterburner.agent.usage import told
from afterburner.agent.wording import count, format_ratio
from afterburner.sandbox.terminal.text import display_path, scrub_line

if TYPE_CHECKING:
    from rich.console import Console

    from afterburner.agent.batch.batch_results import ManyResult, Outcome

_STYLES = {"improved": "green", "failed": "red", "no_improvement": "yellow", "conditional": "magenta"}
NAMED = 5


def print_many(console: Console, many: ManyResult, patches: dict[int, str]) -> None:
    """Print a row for each target that was tried, what was passed over, and whether the tests still pass."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("target", "share", "decision", "gain", "interval", "patch or why not"):
        table.add_column(column, overflow="fold", justify="right" if column in {"share", "gain"} else "left")
    passed_over: list[Outcome] = []
    for place, outcome in enumerate(many.outcomes):
        if outcome.decision == "nothing_to_propose":
            passed_over.append(outcome)
            continue
        gain = outcome.result.gain if outcome.result is not None and outcome.decision == "improved" else None
        table.add_row(
            f"{display_path(outcome.target.path)} {scrub_line(outcome.target.function)}",
            f"{outcome.target.share:.1%}",
            Text(outcome.decision.replace("_", " "), style=_STYLES.get(outcome.decision, "dim")),
            format_ratio(gain.ratio) if gain else "-",
            f"{format_ratio(gain.low)} to {format_ratio(gain.high)}" if gain else "-",
            patches.get(place, "" if gain else scrub_line(outcome.reason)),
        )
    console.print(table)
    console.print()
    if passed_over:
        share = min(sum(outcome.target.share for outcome in passed_over), 1.0)  # time in callees may count twice
        names = ", ".join(scrub_line(outcome.target.function) for outcome in passed_over[:NAMED])
        more = ", …" if len(passed_over) > NAMED else ""
        line = f"No rule fits {count(len(passed_over), 'function')} with {share:.1%} of the time: {names}{more}."
        console.print(line, soft_wrap=True)
    for path, function in many.merged.left_out:
        line = f"{display_path(path)} {scrub_line(function)} does not go together with an offer above: apply it alone."
        console.print(line, soft_wrap=True)
    for outcome in many.outcomes:
        invented = outcome.result.invented_inputs if outcome.result is not None and outcome.result.improved else ""
        if invented:
            line = f"{scrub_line(outcome.target.function)}: none of its inputs is from your project: {invented}."
            console.print(scrub_line(line), style="yellow", soft_wrap=True)
    _print_tests(console, many)
    if many.usage is not None:
        console.print(f"Model use: {told(many.usage)}", soft_wrap=True)
    tried = len(many.outcomes) - len(passed_over)
    style = "green" if many.found else "yellow"
    console.print(f"{len(many.found)} of {count(tried, 'function')} improved.", style=style, soft_wrap=True)


def _print_tests(console: Console, many: ManyResult) -> None:
    if many.tests_note:
        console.print(scrub_line(many.tests_note) + ".", style="yellow", soft_wrap=True)
    if many.tests is None:
        return
    after, style = many.tests.after, "red" if many.tests.broken else "yellow"
    what = "The command" if many.settings.batch.command else "The project's tests"
    if many.tests.green:
        known = f"; {count(len(after.failing), 'test')} failed before as well" if after.failing else ""
        line = f"{what} passed with all offers in place ({after.passed} passed{known})."
        console.print(line, style="green", soft_wrap=True)
    else:
        console.print(f"{what}: {scrub_line(many.tests.objection)}.", style=style, soft_wrap=True)

"""The report for people at the end of a run, top to bottom: candidates, figures, inputs, machine, diff, cost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from afterburner.agent.evidence.chart import draw_chart
from afterburner.agent.evidence.pareto import pareto_front, says_something
from afterburner.agent.loop.records import form_of
from afterburner.agent.loop.results import decision_words, gain_where_largest
from afterburner.agent.loop.right_candidates import right_candidates
from afterburner.agent.page.run_facts import cost_text, facts_of, gain_text, gains_note
from afterburner.agent.page.run_section import HEADLINES, rows_of
from afterburner.agent.types import Decision
from afterburner.agent.wording import count, format_gain, format_interval, shorten_middle
from afterburner.sandbox.terminal.formatting import format_kib, format_seconds
from afterburner.sandbox.terminal.text import display_path, scrub, scrub_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from afterburner.agent.cli.offer import Offer
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.loop.right_candidates import RightCandidate
    from afterburner.agent.types import JudgedCandidate

SHOWN_CODE_LINES = 24  # of the calls that a model wrote
SHOWN_CALL = 70  # characters of a call on which a candidate differs
# What a call showed, as `explain_difference` and the judge begin it.
_SHOWS = re.compile(r"(?<=\)) (?:returned|raised|printed|wrote|left|is of|did not come to an end) ?")
FIGURE_COLUMNS = ("original", "before", "after", "gain")
DECISION_STYLE = {
    Decision.IMPROVED: "green",
    Decision.PROMISING: "cyan",
    Decision.TOO_NOISY: "yellow",
    Decision.NOT_BETTER: "yellow",
    Decision.CONDITIONAL: "magenta",
    Decision.WRONG: "red",
    Decision.REFUSED: "dim",
}


def print_summary(console: Console, result: RunResult, offer: Offer) -> None:
    """Print everything that a person needs to believe the result, or to see why there is none."""
    right = right_candidates(result)
    print_candidates(console, result.candidates, [row.id for row in right])
    _print_right(console, right)
    _print_figures(console, result)
    _print_choice(console, result)
    _print_growth(console, result)
    _print_evidence(console, result)
    _print_written(console, result)
    if result.patch:
        console.print()
        print_diff(console, result.patch)
        _print_cost(console, result, offer)
    _print_verdict(console, result, offer)


def print_diff(console: Console, patch: str) -> None:
    """Print a unified diff in colours, never wrapped; control characters of the code appear as escapes."""
    in_header = True
    for line in patch.removesuffix("\n").split("\n"):
        in_header = in_header and not line.startswith("@@")
        console.print(Text(scrub(line.rstrip("\r")), style=_diff_style(line, in_header=in_header)), soft_wrap=True)


def _diff_style(line: str, *, in_header: bool) -> str:
    if in_header:
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")


def print_candidates(console: Console, candidates: Sequence[JudgedCandidate], right: Sequence[str] = ()) -> None:
    """Print what became of each candidate, and why it is not offered.

    Args:
        console: where.
        candidates: of a run.
        right: ids of those whose reason another table tells.
    """
    if not candidates:
        return
    table = _table("candidate", "proposer", "verdict", "gain", "interval", "decision")
    for candidate in candidates:
        gain = candidate.gain
        table.add_row(
            candidate.id,
            scrub_line(candidate.proposer) + form_of(candidate),
            candidate.verdict.value.replace("_", " ") if candidate.verdict else "not run",
            format_gain(gain.ratio, candidate.figure) if gain else "-",
            format_interval(gain) if gain else "-",
            Text(decision_words(candidate), style=DECISION_STYLE[candidate.decision]),
        )
    console.print(table)
    if note := gains_note(candidates):
        console.print(note)
    refused = [
        each
        for each in candidates
        if each.decision is not Decision.IMPROVED and (each.id not in right or each.counterexample)
    ]
    if refused:
        console.print("\nWhy not:", style="bold")
    for candidate in refused:
        _print_item(console, f"{candidate.id} {decision_words(candidate)}: {scrub_line(candidate.reason)}")
        if candidate.counterexample:
            _print_item(console, f"    for example {_example(scrub_line(candidate.counterexample))}")


def _print_right(console: Console, rows: Sequence[RightCandidate]) -> None:
    """Print the gains of what was the same on the workload, where that is more than the offer."""
    if not any(row.why_not for row in rows):
        return
    console.print("\nGains over the original:", style="bold")
    table = _table("candidate", "gain", "why not")
    for row in rows:
        table.add_row(row.id, format_gain(row.over_original, row.figure), scrub_line(row.why_not) or "offered")
    console.print(table)


def _print_figures(console: Console, result: RunResult) -> None:
    """Print before and after, the announced gain in the row of the objective; without a winner the original."""
    console.print()
    table = _table("", "before", "after", "gain", "interval") if result.improved else _table("", "original")
    for row in rows_of(result):
        after = (row.after, row.ratio, row.interval) if result.improved else ()
        table.add_row(row.name, row.before, *after, style="bold" if row.decides else "")
    console.print(table)


def _print_choice(console: Console, result: RunResult) -> None:
    """Print what is beaten by nothing in both time and memory, where that leaves a choice."""
    points = pareto_front(result.candidates, result.original_on_all)
    if not says_something(points):
        return
    console.print("\nNo other candidate beats these in both time and memory, by one sample each:", style="bold")
    table = _table("program", "CPU time", "peak memory", "memory integral")
    for point in points:
        if point.on_front:
            integral = format_kib(point.measurement.memory_integral_kib_s, "·s")
            table.add_row(point.id, format_seconds(point.cpu_time_s), format_kib(point.peak_memory_kib), integral)
    console.print(table)


def _print_growth(console: Console, result: RunResult) -> None:
    """Print how time grows with the input, before and after, and what became of a gain too good to be true."""
    evidence = result.evidence
    if evidence is None:
        return
    growth = evidence.growth
    if growth is not None and growth.sentence:
        console.print()
        fits = [fit for fit in (growth.original, growth.winner) if fit is not None]
        slopes = " → ".join(f"{fit.exponent:.1f}" for fit in fits)
        like = f", {scrub_line(growth.holds_for)}" if growth.holds_for else ""
        counted = f"CPU time of one call by {scrub_line(growth.scaled)}, measured exponent {slopes}{like}"
        _print_fact(console, "Growth", f"{growth.sentence}: {counted}")
        for line in draw_chart(growth, console.encoding):
            console.print(Text(line), soft_wrap=True)
    if told := gain_where_largest(result):
        _print_fact(console, "Growth", scrub_line(told))
    for remark in (growth.note, growth.disagreement) if growth is not None else ():
        if remark:
            _print_fact(console, "Growth", scrub_line(remark))
    if evidence.larger_inputs:
        _print_fact(console, "Larger", scrub_line(evidence.larger_inputs))


def _print_evidence(console: Console, result: RunResult) -> None:
    console.print()
    for note in (*result.target.notes, *result.notes):
        _print_fact(console, "Note", scrub_line(note))
    for label, text in facts_of(result):
        _print_fact(console, label, scrub_line(text))


def _print_written(console: Console, result: RunResult) -> None:
    """Print the calls that a language model wrote: only their arguments counted, in the sandbox."""
    if result.written is None:
        return
    lines = result.written.code.split("\n")
    console.print(
        f"\nCalls written by {scrub_line(result.written.model)}, as nothing calls the function:", style="bold"
    )
    for line in lines[:SHOWN_CODE_LINES]:
        console.print(Text(f"    {scrub(line)}"), soft_wrap=True)
    if len(lines) > SHOWN_CODE_LINES:
        console.print(f"    … {count(len(lines) - SHOWN_CODE_LINES, 'more line')}; --json has them all")


def _print_cost(console: Console, result: RunResult, offer: Offer) -> None:
    cost = result.readability
    if cost is None:
        return
    gain_per_line = f", gain per added line {offer.gain_per_line:.3g}" if offer.gain_per_line is not None else ""
    console.print()
    _print_fact(console, "It costs", f"{cost_text(cost)}{gain_per_line}")


def _print_verdict(console: Console, result: RunResult, offer: Offer) -> None:
    console.print()
    name = f"{display_path(result.target.path)}" + (f" {result.target.function}" if result.target.function else "")
    headline = HEADLINES[result.decision]
    style = "bold green" if result.improved else "bold yellow"
    console.print(Text.assemble((headline, style), f"  {name}: {scrub_line(result.summary)}"))
    if result.gain and result.improved:
        fresh_runs = f"{count(result.gain.pairs, 'block')} of fresh runs, objective {result.objective.value}"
        console.print(f"{gain_text(result.gain)} ({fresh_runs})")
    if result.improved and not offer.offered:
        console.print(Text(offer.reason, style="yellow"))


def _example(line: str) -> str:
    """A counterexample whose call, if it is long, leaves room for what it shows; the page and the JSON have it all."""
    call, shows = line, ""
    for shows_here in _SHOWS.finditer(line):
        call, shows = line[: shows_here.start()], line[shows_here.start() :]
    return shorten_middle(call, SHOWN_CALL) + shows


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold", justify="right" if column in FIGURE_COLUMNS else "left")
    return table


def _print_fact(console: Console, label: str, text: str) -> None:
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True, min_width=12)
    table.add_column(overflow="fold")
    table.add_row(Text(label, style="bold"), text)
    console.print(table)


def _print_item(console: Console, text: str) -> None:
    table = Table.grid(padding=(0, 1))
    table.add_row(" ", Text(text, overflow="fold"))
    console.print(table)

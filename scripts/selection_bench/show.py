"""The results as text for a terminal, and as the tables of docs/trust.md."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.selection_bench.picture import NAME, draw
from scripts.selection_bench.summary import HEADS, goals, p95, rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scripts.selection_bench.book import Book
    from scripts.selection_bench.summary import Goal

PAGE = Path(__file__).resolve().parents[2] / "docs" / "trust.md"
BEGIN, END = "<!-- written by `make bench-selection` -->", "<!-- until here -->"
_MET = {True: "met", False: "MISSED", None: "open"}
_BUSY = 0.5  # of a core, by the load average before a session, from which a machine was not idle


def text(book: Book) -> str:
    """Everything, for a terminal."""
    parts = [plain([HEADS, *(row.cells() for row in rows(book))])]
    if book.examples:
        parts.append(plain(_example_rows(book)))
    parts.append(plain([("goal", "measured", ""), *_goal_rows(book)]))
    return "\n\n".join([*parts, circumstances(book)])


def write_page(book: Book) -> None:
    """Puts the tables into docs/trust.md, between their markers, and draws its picture."""
    write_between(PAGE, BEGIN, markdown(book))
    draw(book)


def write_between(page: Path, begin: str, found: str) -> None:
    """Puts Markdown into a page, between a marker and `END`."""
    head, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, marker, tail = rest.partition(END)
    if not marker:
        raise SystemExit(f"{page} has lost the markers between which its tables stand: {begin} and {END}")
    page.write_text(f"{head}{begin}\n\n{found}\n\n{END}{tail}", encoding="utf-8")


def markdown(book: Book) -> str:
    """The same as Markdown."""
    tables = [
        table([("goal", "measured", ""), *_goal_rows(book)]),
        table([HEADS, *(row.cells() for row in rows(book))]),
    ]
    if book.examples:
        tables.append(table(_example_rows(book)))
    picture = f"![Estimated gains of identical code, and their lower bounds](images/{NAME})"
    return "\n\n".join([*tables, circumstances(book), picture])


def _goal_rows(book: Book) -> list[tuple[str, ...]]:
    return [(goal.promise, goal.measured, _MET[goal.met] + _in_the_sample(goal)) for goal in goals(book)]


def _in_the_sample(goal: Goal) -> str:
    return " in the sample" if goal.met and not goal.is_proven else ""


def _example_rows(book: Book) -> list[tuple[str, ...]]:
    """Seconds of the decisions on the files in examples/."""
    found: list[tuple[str, ...]] = [("example", "runs", "candidates", "median s", "p95 s")]
    for name in [*dict.fromkeys(record["example"] for record in book.examples), "all"]:
        mine = [record for record in book.examples if name in (record["example"], "all")]
        seconds = [record["seconds"] for record in mine]
        candidates = f"{statistics.median(record['candidates'] for record in mine):g}"
        found.append((name, str(len(mine)), candidates, f"{statistics.median(seconds):.1f}", f"{p95(seconds):.1f}"))
    return found


def circumstances(book: Book) -> str:
    """Where, when and under which load it was measured."""
    machine = book.machine
    days = sorted({session["at"][:10] for session in book.sessions})
    when = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else "never"
    loads = [session["load"] for session in book.sessions]
    rule = f"at a minimum effect of {100 * book.min_effect:g}% and a level of {100 * book.alpha:g}%"
    told = (
        f"Measured on {machine['cpu_model']} ({machine['cpus']} CPUs), {machine['system']}, Python "
        f"{machine['python']}, {when}, {rule}."
    )
    if any(load > _BUSY for load in loads):
        told += f" The machine was NOT idle when it began: its load average was up to {max(loads):.1f}."
    return told


def plain(lines: Sequence[Sequence[str]]) -> str:
    """A table for a terminal; the first line is its head."""
    widths = [max(len(line[n]) for line in lines) for n in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def table(lines: Sequence[Sequence[str]]) -> str:
    """The same as Markdown."""
    head, *body = lines
    rule = ["---"] * len(head)
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *body))

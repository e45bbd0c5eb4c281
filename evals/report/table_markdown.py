"""A table in Markdown. Foreign text in it stays text: nothing of it opens HTML, a link or another cell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from afterburner.sandbox.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.evals.report.table import Cell, Table

LONGEST = 300  # characters of a foreign text
LONGEST_NOTE = 2000  # of a sentence of ours, which may hold several of these
# An underscore within a word opens nothing, and neither does the sign in `Pass@k`.
_SPECIAL = re.compile(
    r"""[!#$&*<>\[\\\]^`{|}~"]|(?<!\bPass)(?<!\beff)@|@(?!(?:\d+|k)\b(?![.-]))|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?=//)|(?<=www)\.""",
    re.IGNORECASE,
)


def plain(text: str, most: int = LONGEST) -> str:
    """Foreign text for Markdown: one line, and whatever would be read as more than text as an entity."""
    line = visible(" ".join(text.split()))
    cut = line if len(line) <= most else line[: most - 1] + "…"
    return _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", cut)


def table_markdown(table: Table, level: int = 3) -> str:
    """The table with its heading, its caption and the reasons for what is empty."""
    return "\n".join([f"{'#' * level} {plain(table.title)}", "", *_body(table)]) + "\n"


def _body(table: Table) -> Iterator[str]:
    if table.missing:
        yield plain(table.missing)
        return
    if table.cautions:
        yield from (f"- **Caution:** {plain(each, LONGEST_NOTE)}" for each in table.cautions)
        yield ""
    yield _line([plain(each) for each in table.columns])
    yield _line(["---"] * len(table.columns))
    reasons = table.reasons
    for row in table.rows:
        yield _line([_cell(cell, reasons) for cell in row])
    yield ""
    for line in table.caption:
        yield f"- {plain(line, LONGEST_NOTE)}"
    for number, reason in enumerate(reasons, 1):
        yield f"- ({number}) {plain(reason, LONGEST_NOTE)}"


def _cell(cell: Cell, reasons: tuple[str, ...]) -> str:
    shown = cell.ours if cell.score is not None else plain(cell.ours)
    ours = " ".join(filter(None, (shown, cell.interval)))
    if cell.missing:
        ours += f" ({reasons.index(cell.missing) + 1})"
    return f"{ours}; *paper: {cell.papers}*" if cell.papers else ours


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"

"""A table in HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.page.markup import bullets, element, safe, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.evals.report.table import Cell, Table


def table_html(shown: Table, prefix: str) -> str:
    """The table as a section with its heading, its caption and the reasons for what is empty.

    Args:
        shown: the table.
        prefix: of its id; tables of one key appear once for each dataset.
    """
    body = "\n".join([element("h3", shown.title), *_body(shown)])
    return f'<section id="{safe(prefix)}-{safe(shown.key)}">\n{body}\n</section>'


def _body(shown: Table) -> Iterator[str]:
    if shown.missing:
        yield element("p", shown.missing, "missing")
        return
    first, *more = shown.caption or ("",)
    if first:
        yield element("p", first, "soft")
    if shown.cautions:
        yield bullets(f"Caution: {each}" for each in shown.cautions)
    yield rows_html(shown)
    if more:
        yield f'<details class="soft"><summary>How to read it</summary>{bullets(more)}</details>'


def rows_html(shown: Table) -> str:
    """The rows alone, and below them the reasons for what is empty."""
    reasons = shown.reasons
    rows = table(shown.columns, ([_cell(cell, reasons) for cell in row] for row in shown.rows), "scores")
    listed = "".join(f"<li>{safe(each)}</li>" for each in reasons)
    return f'{rows}\n<ol class="soft">{listed}</ol>' if listed else rows


def _cell(cell: Cell, reasons: tuple[str, ...]) -> str:
    parts = [safe(cell.ours)]
    if cell.missing:
        parts.append(f"<sup>{reasons.index(cell.missing) + 1}</sup>")
    if cell.interval:
        parts.append(element("span", cell.interval, "interval"))
    if cell.papers:
        parts.append(element("span", f"paper: {cell.papers}", "paper"))
    return "".join(parts)

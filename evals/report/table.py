"""A table of a report: numbers with their intervals, the paper's beside ours, and why a cell is empty."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.evals.report.measures import Score

NONE = "none"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: a text, or a number, or the reason why there is none.

    Attributes:
        text: of a cell without a number. It may come from a stranger.
        score: the number.
        digits: behind the point.
        paper_digits: likewise, of the paper's number; None: as many.
        unit: directly behind the number, such as `x`.
        paper: the paper's number of the same cell; None: the paper has none.
        change: how far the number is from that of the row which the table compares with; None: nothing is compared.
        paper_change: likewise, of the paper's.
        missing: why there is no number; a sentence.
    """

    text: str = ""
    score: Score | None = None
    digits: int = 2
    paper_digits: int | None = None
    unit: str = ""
    paper: Score | None = None
    change: float | None = None
    paper_change: float | None = None
    missing: str = ""

    @property
    def ours(self) -> str:
        """Our number without its interval; of a cell without one, its text or `none`."""
        if self.score is None:
            return self.text or (NONE if self.missing else "")
        return _number(self.score.value, self.digits, self.unit) + _change(self.change, self.digits)

    @property
    def interval(self) -> str:
        """The interval of our number; empty: it has none."""
        return _interval(self.score, self.digits) if self.score is not None else ""

    @property
    def papers(self) -> str:
        """The paper's number, with its interval; empty: there is none."""
        if self.paper is None:
            return ""
        digits = self.digits if self.paper_digits is None else self.paper_digits
        number = _number(self.paper.value, digits, self.unit) + _change(self.paper_change, digits)
        return " ".join(filter(None, (number, _interval(self.paper, digits))))


@dataclass(frozen=True, slots=True)
class Table:
    """One table, with all that is needed to read it.

    Attributes:
        key: its name in files and links: `table-1`.
        title: its heading.
        columns: the heads.
        rows: of as many cells.
        notes: the caption, a sentence each: clock, machine, intervals, problems.
        source: where the paper's numbers in it are from.
        missing: why it has no rows; a sentence.
        cautions: what has to be known before a number is believed, a sentence each; shown above the rows.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    source: str = ""
    missing: str = ""
    cautions: tuple[str, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why cells are empty, each reason once, in the order in which they first appear."""
        return tuple(dict.fromkeys(cell.missing for row in self.rows for cell in row if cell.missing))

    @property
    def caption(self) -> tuple[str, ...]:
        """The notes, and where the paper's numbers are from if there are any."""
        has_paper = any(cell.paper is not None for row in self.rows for cell in row)
        return (*self.notes, f"The paper's numbers are from: {self.source}.") if has_paper else self.notes

    def to_document(self) -> dict[str, Any]:
        """As `tables.json` holds it."""
        return {
            "key": self.key,
            "title": self.title,
            "cautions": list(self.cautions),
            "caption": list(self.caption),
            "columns": list(self.columns),
            "rows": [[_document(cell) for cell in row] for row in self.rows],
            "missing": self.missing,
        }


def text_cells(*texts: object) -> tuple[Cell, ...]:
    """Cells that hold texts."""
    return tuple(Cell(str(each)) for each in texts)


def number_cell(score: Score | None, missing: str, paper: Score | None = None) -> Cell:
    """A cell of a number in percent, or of the reason why there is none: None and NaN are none."""
    if score is None or not math.isfinite(score.value):
        return Cell(paper=paper, missing=missing)
    return Cell(score=score, paper=paper)


def empty_table(key: str, title: str, why: str, columns: Sequence[str] = ()) -> Table:
    """A table of which there is nothing to show, and why."""
    return Table(key, title, tuple(columns), (), missing=why)


def _number(value: float, digits: int, unit: str) -> str:
    return f"{value:,.{digits}f}{unit}"


def _interval(score: Score, digits: int) -> str:
    if score.low is None or score.high is None or not (math.isfinite(score.low) and math.isfinite(score.high)):
        return ""
    return f"({score.low:,.{digits}f}, {score.high:,.{digits}f})"


def _change(change: float | None, digits: int) -> str:
    return "" if change is None or not math.isfinite(change) else f" [{change:+,.{digits}f}]"


def _document(cell: Cell) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for name, score in (("ours", cell.score), ("paper", cell.paper)):
        if score is not None:
            known[name] = {"value": score.value, "low": score.low, "high": score.high}
    for name in ("text", "unit", "change", "paper_change", "missing"):
        if getattr(cell, name) not in {"", None}:
            known[name] = getattr(cell, name)
    return known

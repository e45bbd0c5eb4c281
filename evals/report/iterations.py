"""Tables with a column for each iteration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.evals.report.captions import NO_REFERENCES
from afterburner.evals.report.measures import Score
from afterburner.evals.report.table import Cell, Table, number_cell, text_cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_ALL_UP_TO = 10  # iterations: so many columns can be read
_FEW = (0, 1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class Line:
    """A row: what it is of, its scores by iteration, and the paper's."""

    heads: tuple[object, ...]
    scores: Sequence[Score]
    papers: Mapping[int, float] = field(default_factory=dict)


def iteration_table(
    key: str, title: str, heads: Sequence[str], lines: Sequence[Line], *, notes: Sequence[str], source: str
) -> Table:
    """The table of these lines; a run with fewer iterations than others has none there."""
    shown = shown_iterations(max(len(each.scores) for each in lines) - 1, (at for each in lines for at in each.papers))
    rows = [(*text_cells(*each.heads), *(_cell(each, at) for at in shown)) for each in lines]
    return Table(key, title, (*heads, *map(str, shown)), tuple(rows), tuple(notes), source)


def shown_iterations(last: int, papers: Iterable[int] = ()) -> list[int]:
    """Which iterations a table shows: all of a few; of many some, and those that the paper has."""
    if last <= _ALL_UP_TO:
        return list(range(last + 1))
    wanted = {*_FEW, *range(12, last, 4), last, *papers}
    return sorted(each for each in wanted if each <= last)


def _cell(line: Line, iteration: int) -> Cell:
    paper = Score(line.papers[iteration]) if iteration in line.papers else None
    if iteration >= len(line.scores):
        return Cell(paper=paper, missing="The run has fewer iterations.")
    return number_cell(line.scores[iteration], NO_REFERENCES, paper)

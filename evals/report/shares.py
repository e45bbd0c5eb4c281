"""Table 3: how many solutions are at least as good as all known ones, among them, worse than all, or fail."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from afterburner.agent.types import Objective
from afterburner.evals.metrics.outcomes import outcomes
from afterburner.evals.report.captions import NO_REFERENCES, captions
from afterburner.evals.report.main_table import first_and_last, is_papers_point
from afterburner.evals.report.measures import OBJECTIVE_NAMES, Score
from afterburner.evals.report.paper_numbers import TABLE_3, TABLE_3_SOURCE, VENUS
from afterburner.evals.report.run_scores import PERCENT
from afterburner.evals.report.table import Cell, Table, text_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.evals.report.run_scores import RunScores

_LETTERS = ("B", "M", "W", "F")
_MEANING = (
    "B: at least as good as every known solution, ties included; M: among them; W: worse than all of them; F: fails. "
    "Shares of the problems that have references."
)


def shares_table(runs: Sequence[RunScores]) -> Table:
    """The table of runs on one dataset."""
    rows = [row for each in runs for row in _rows(each)]
    heads = (f"{OBJECTIVE_NAMES[each]} {letter}%" for each in _objectives() for letter in _LETTERS)
    notes = (*captions(runs, has_intervals=False), _MEANING)
    return Table(
        "table-3", "Table 3: against known solutions", ("run", "iteration", *heads), tuple(rows), notes, TABLE_3_SOURCE
    )


def _objectives() -> tuple[Objective, ...]:
    return (Objective.TIME, Objective.MEMORY, Objective.INTEGRAL)


def _rows(each: RunScores) -> Iterator[tuple[Cell, ...]]:
    for iteration in first_and_last(each.run):
        is_papers = each.run.paper_dataset == VENUS and is_papers_point(each.run, iteration)
        papers = TABLE_3.get(each.run.paper_model, ()) if is_papers else ()
        found = [outcomes(each.main.evaluation, objective, iteration) for objective in _objectives()]
        values = [value for one in found for value in (one.better, one.within, one.worse, one.failed)]
        cells = [_cell(value, papers[at] if papers else None) for at, value in enumerate(values)]
        yield (*text_cells(each.run.label, iteration), *cells)


def _cell(share: float, papers: float | None) -> Cell:
    paper = None if papers is None else Score(papers)
    if math.isnan(share):
        return Cell(paper=paper, missing=NO_REFERENCES)
    return Cell(score=Score(share * PERCENT), paper=paper)

"""Table 1: the models side by side, their first code and the last one of the loop."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.evals.report.captions import (
    MEANING,
    NO_REFERENCES,
    answers_caution,
    captions,
    drift_caution,
    failing_caution,
)
from afterburner.evals.report.measures import MEASURES
from afterburner.evals.report.paper_models import TRAINED
from afterburner.evals.report.paper_numbers import (
    APPS,
    TABLE_1,
    TABLE_1_SOURCE,
    TABLE_9,
    TABLE_9_SOURCE,
    TUNED_ITERATION,
    VENUS,
)
from afterburner.evals.report.table import Table, number_cell, text_cells

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from afterburner.evals.report.measures import Measure, Score
    from afterburner.evals.report.run_scores import RunScores
    from afterburner.evals.report.runs import Run

_OF_ALL = "The paper's numbers are of its whole test set, ours of the problems that the notes count."
_PAPER = {VENUS: (TABLE_1, TABLE_1_SOURCE), APPS: (TABLE_9, TABLE_9_SOURCE)}


def main_table(runs: Sequence[RunScores]) -> Table:
    """The table of runs on one dataset."""
    rows = []
    for each in runs:
        for iteration in first_and_last(each.run):
            paper = _paper_row(each.run, iteration)
            cells = [number_cell(each.at(one, iteration), NO_REFERENCES, paper.get(one)) for one in MEASURES]
            rows.append((*text_cells(each.run.label, each.run.model, iteration), *cells))
    source = _PAPER.get(runs[0].run.paper_dataset, ({}, ""))[1]
    columns = ("run", "model", "iteration", *(f"{each.value}, %" for each in MEASURES))
    notes = (MEANING, *captions(runs))
    table = Table("table-1", "Table 1: models side by side", columns, tuple(rows), notes, source)
    papers = (_OF_ALL,) if any(cell.paper is not None for row in rows for cell in row) else ()
    told = (caution(each) for caution in (failing_caution, answers_caution, drift_caution) for each in runs)
    return replace(table, cautions=(*papers, *filter(None, told)))


def first_and_last(run: Run) -> tuple[int, ...]:
    """The iterations that a table of single points shows."""
    return tuple(sorted({0, run.iterations}))


def is_papers_point(run: Run, iteration: int) -> bool:
    """Whether the paper's tables of single points have it: a vanilla model's first code, or a trained one's tenth."""
    if run.paper_model in TRAINED:
        return run.is_papers_loop and iteration == TUNED_ITERATION
    return run.start == "none" and run.setting("objective", "integral") == "integral" and iteration == 0


def _paper_row(run: Run, iteration: int) -> Mapping[Measure, Score]:
    table, _ = _PAPER.get(run.paper_dataset, ({}, ""))
    return table.get(run.paper_model, {}) if is_papers_point(run, iteration) else {}

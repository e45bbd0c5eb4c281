"""The rebuttal's table of what passing solutions use: totals, means, and the gain on those that pass throughout."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from afterburner.agent.types import Objective
from afterburner.evals.metrics.gains import gain_between_iterations, totals
from afterburner.evals.report.captions import clock, machines, problems_of
from afterburner.evals.report.iterations import shown_iterations
from afterburner.evals.report.measures import OBJECTIVE_NAMES, Score
from afterburner.evals.report.paper_numbers import GRPO, VENUS
from afterburner.evals.report.rebuttal_numbers import GAINS, GAINS_SOURCE
from afterburner.evals.report.table import Cell, Table, text_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.evals.metrics.gains import Totals
    from afterburner.evals.report.rebuttal_numbers import Gains
    from afterburner.evals.report.run_scores import RunScores

_KIB_PER_GIB = 1024.0**2
_OBJECTIVES = (Objective.TIME, Objective.MEMORY, Objective.INTEGRAL)
_UNITS = {
    Objective.TIME: (1.0, "s"),
    Objective.MEMORY: (_KIB_PER_GIB, "GiB"),
    Objective.INTEGRAL: (1024.0, "MiB·s"),  # of small problems, GiB·s would be 0.000; the paper has no figure
}
_NONE = "No solution passes."
_NOT_COMMON = "No solution passes at both iterations."
_PASSING = "Passing: solutions of all generations together, so up to G of each problem; the paper has one generation."
_RATIOS = (
    "Totals and means are of different solutions at each iteration, since more of them pass. The ratios to iteration 0 "
    "are of the solutions that pass at both: the geometric mean over problems with its 95% interval; below 1 is better."
)


def gains_table(runs: Sequence[RunScores]) -> Table:
    """The table of runs on one dataset."""
    heads = [f"{OBJECTIVE_NAMES[each]} {what}, {_UNITS[each][1]}" for each in _OBJECTIVES for what in ("total", "mean")]
    ratios = [f"{OBJECTIVE_NAMES[each]} to iteration 0" for each in _OBJECTIVES]
    rows = [row for each in runs for row in _rows(each)]
    notes = (clock(runs), *map(problems_of, runs), *machines(runs), _PASSING, _RATIOS)
    columns = ("run", "iteration", "passing", *heads, *ratios)
    return Table("gains", "Totals and means over passing solutions", columns, tuple(rows), notes, GAINS_SOURCE)


def _rows(each: RunScores) -> Iterator[tuple[Cell, ...]]:
    evaluation = each.main.evaluation
    found = {objective: totals(evaluation, objective) for objective in _OBJECTIVES}
    is_papers = each.run.paper_dataset == VENUS and each.run.is_papers_loop and each.run.paper_model == GRPO
    for iteration in shown_iterations(evaluation.iterations, GAINS if is_papers else ()):
        paper = GAINS.get(iteration) if is_papers else None
        passing = found[Objective.TIME][iteration].passing
        papers_passing = Score(paper.passed) if paper else None
        cells = [Cell(score=Score(passing), paper=papers_passing, digits=0)]
        for objective in _OBJECTIVES:
            cells += _figures(found[objective][iteration], objective, paper)
        cells += [_ratio(each, objective, iteration) for objective in _OBJECTIVES]
        yield (*text_cells(each.run.label, iteration), *cells)


def _figures(row: Totals, objective: Objective, paper: Gains | None) -> Iterator[Cell]:
    papers: dict[Objective, tuple[float, float]] = {}
    if paper is not None:
        papers[Objective.TIME] = (paper.time_s, paper.mean_time_s)
        papers[Objective.MEMORY] = (paper.memory_gib, paper.mean_memory_gib)
    for value, known in zip((row.total, row.mean), papers.get(objective, (None, None)), strict=True):
        paper_score = None if known is None else Score(known)
        if math.isnan(value) or not row.passing:
            yield Cell(paper=paper_score, missing=_NONE)
        else:
            yield Cell(score=Score(value / _UNITS[objective][0]), paper=paper_score, digits=3, paper_digits=2)


def _ratio(each: RunScores, objective: Objective, iteration: int) -> Cell:
    if iteration == 0:
        return Cell("1")
    found = gain_between_iterations(each.main.evaluation, objective, 0, iteration)
    if not found.problems:
        return Cell(missing=_NOT_COMMON)
    mean = found.geometric_mean
    return Cell(score=Score(mean.estimate, mean.low, mean.high), digits=3, unit="x")

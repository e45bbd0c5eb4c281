"""Pass@k: how often one of several generations passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.evals.metrics.passing import pass_at_k_scores
from afterburner.evals.report.captions import captions
from afterburner.evals.report.main_table import first_and_last
from afterburner.evals.report.run_scores import score_of
from afterburner.evals.report.table import Table, number_cell, text_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.evals.report.measures import Score
    from afterburner.evals.report.run_scores import RunScores

_KEY, _TITLE = "pass-at-k", "Pass@k over the generations"
_NOTE = "The unbiased estimate of Chen et al. (2021). Intervals resample problems."


def pass_at_k_table(runs: Sequence[RunScores]) -> Table | None:
    """The table of runs on one dataset; None: each has a single generation."""
    most = max((_generations(each) for each in runs), default=0)
    if most < 2:
        return None
    counts = tuple(_counts(most))
    rows = []
    for each in runs:
        for iteration in first_and_last(each.run):
            missing = f"{each.run.label} has fewer generations."
            cells = [number_cell(_score(each, k, iteration), missing) for k in counts]
            rows.append((*text_cells(each.run.label, each.run.model, iteration), *cells))
    columns = ("run", "model", "iteration", *(f"Pass@{k}, %" for k in counts))
    return Table(_KEY, _TITLE, columns, tuple(rows), (_NOTE, *captions(runs, has_intervals=False)))


def _generations(each: RunScores) -> int:
    """What every problem of a run has."""
    return min((len(problem.passed) for problem in each.main.evaluation.problems), default=0)


def _counts(most: int) -> Iterator[int]:
    """1, 2, 4 and so on, and the number of generations itself."""
    k = 1
    while k < most:
        yield k
        k *= 2
    yield most


def _score(each: RunScores, k: int, iteration: int) -> Score | None:
    if k > _generations(each):
        return None
    return score_of(pass_at_k_scores(each.main.evaluation, k, iteration))

"""Figure 5: how the scores of runs go over the iterations, and the points of it that are known of the paper's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.evals.report.measures import MEASURES
from afterburner.evals.report.paper_numbers import VENUS
from afterburner.evals.report.rebuttal_numbers import FIGURE_5, VANILLA
from afterburner.evals.report.table import Table, number_cell, text_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from afterburner.evals.report.measures import Measure, Score
    from afterburner.evals.report.run_scores import SideScores
    from afterburner.evals.report.runs import Run

MOST_COLOURS = 8


@dataclass(frozen=True, slots=True)
class Curve:
    """The scores of one run at the iterations 0 to N.

    Attributes:
        label: of the run.
        place: among the runs, from 0: its colour and its dashes.
        scores: NaN where there is none.
        papers: points of the paper's curve, by iteration.
    """

    label: str
    place: int
    scores: Mapping[Measure, Sequence[Score]]
    papers: Mapping[Measure, Mapping[int, float]]

    def known(self, measure: Measure) -> list[tuple[int, Score]]:
        """The iterations that have a score."""
        return [(at, each) for at, each in enumerate(self.scores[measure]) if math.isfinite(each.value)]


def curve_of(run: Run, place: int, scores: SideScores) -> Curve:
    """The curve of a run, with the paper's points where it is the same experiment."""
    papers: Mapping[Measure, Mapping[int, float]] = {}
    if run.paper_dataset == VENUS and run.is_papers_loop:
        papers = FIGURE_5.get(run.paper_model) or VANILLA.get(run.paper_model, {})
    return Curve(run.label, place, scores.curves, papers)


def values_told(curve: Curve, measure: Measure) -> Iterator[tuple[int, Score, str]]:
    """Each point with its value as text: `Afterburner, iteration 4: Pass@1 57.00 (50.10, 63.20)`."""
    for at, score in curve.known(measure):
        cell = number_cell(score, "")
        told = " ".join(filter(None, (cell.ours, cell.interval)))
        yield at, score, f"{curve.label}, iteration {at}: {measure.value} {told}"


def values_table(curves: Sequence[Curve]) -> Table:
    """All values of the curves."""
    rows = []
    for curve in curves:
        for measure in MEASURES:
            papers = curve.papers.get(measure, {})
            for at, score in enumerate(curve.scores[measure]):
                paper = f"{papers[at]:.2f}" if at in papers else ""
                cell = number_cell(score, "No problem has references: there is nothing to rank it among.")
                rows.append((*text_cells(curve.label, measure.value, at), cell, *text_cells(paper)))
    return Table("values", "Values of the curves", ("run", "score", "iteration", "ours, %", "paper, %"), tuple(rows))

"""The rebuttal's table of private against public tests: does the loop fit the tests that it sees?"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.evals.evaluation import PRIVATE, PUBLIC
from afterburner.evals.metrics.correlation import pearson
from afterburner.evals.report.captions import INTERVALS, machines, side_problems
from afterburner.evals.report.iterations import Line, iteration_table
from afterburner.evals.report.measures import MEASURES, Score
from afterburner.evals.report.paper_numbers import GRPO, VENUS
from afterburner.evals.report.rebuttal_numbers import PEARSON_R, PRIVATE_CURVES, PUBLIC_CURVES, TESTS_SOURCE
from afterburner.evals.report.run_scores import SideScores, side_scores
from afterburner.evals.report.table import Cell, Table, empty_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.evals.report.measures import Measure
    from afterburner.evals.report.run_scores import RunScores
    from afterburner.evals.report.runs import Run

_KEY, _TITLE = "private", "Private against public tests"
_FLAT = "A curve that does not change has no correlation."
_SHORT = "Two points always lie on a line: r needs at least three iterations."
_LEAST_POINTS = 3
_RULE = "Time is wall time. Both sides are of the problems that have private tests. r: Pearson's, over the iterations."


def tests_table(runs: Sequence[RunScores]) -> Table:
    """The table of runs on one dataset."""
    having = [(each, sides) for each in runs if (sides := _sides(each))]
    if not having:
        return empty_table(_KEY, _TITLE, "No problem of these runs has private tests, or none of them is done.")
    lines, correlations = [], []
    for each, sides in having:
        for measure in MEASURES:
            for tests, side in sides.items():
                papers = _papers(each.run, tests, measure)
                lines.append(Line((each.run.label, measure.value, tests), side.curves[measure], papers))
                correlations.append(_correlation(each.run, sides, measure) if tests == PRIVATE else Cell())
    shown = [each for each, _ in having]
    notes = (_RULE, INTERVALS, *_problems(having), *machines(shown))
    table = iteration_table(_KEY, _TITLE, ("run", "score, %", "tests"), lines, notes=notes, source=TESTS_SOURCE)
    rows = tuple((*row, cell) for row, cell in zip(table.rows, correlations, strict=True))
    return replace(table, columns=(*table.columns, "r"), rows=rows)


def _sides(each: RunScores) -> dict[str, SideScores]:
    """Both sides, of the problems that have private tests; empty: none has."""
    if each.private is None:
        return {}
    ids = {problem.id for problem in each.private.evaluation.problems}
    public = each.public
    if len(ids) < len(public.evaluation.problems):
        problems = tuple(problem for problem in public.evaluation.problems if problem.id in ids)
        public = side_scores(replace(public.evaluation, problems=problems))
    return {PUBLIC: public, PRIVATE: each.private}


def _problems(having: Sequence[tuple[RunScores, dict[str, SideScores]]]) -> Iterator[str]:
    for each, sides in having:
        for tests, side in sides.items():
            yield f"{each.run.label}, {tests}: {side_problems(side)}."


def _correlation(run: Run, sides: dict[str, SideScores], measure: Measure) -> Cell:
    curves = [[score.value for score in side.curves[measure]] for side in sides.values()]
    paper = Score(PEARSON_R[measure]) if _is_papers(run) else None
    if any(math.isnan(value) for curve in curves for value in curve):
        return Cell(paper=paper, missing=_FLAT)
    if len(curves[0]) < _LEAST_POINTS:
        return Cell(paper=paper, missing=_SHORT)
    found = pearson(*curves)
    if math.isnan(found):
        return Cell(paper=paper, digits=4, missing=_FLAT)
    return Cell(score=Score(found), paper=paper, digits=4)


def _papers(run: Run, tests: str, measure: Measure) -> dict[int, float]:
    if not _is_papers(run):
        return {}
    return dict((PUBLIC_CURVES if tests == PUBLIC else PRIVATE_CURVES)[measure])


def _is_papers(run: Run) -> bool:
    return run.paper_dataset == VENUS and run.is_papers_loop and run.paper_model == GRPO

"""The rebuttal's table by difficulty: the scores, and the iteration at which the gain levels off."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.evals.metrics.levels import GAP, levels_by_difficulty
from afterburner.evals.report.captions import NO_REFERENCES, captions
from afterburner.evals.report.measures import BEYOND_I, BEYOND_M, BEYOND_T, Score
from afterburner.evals.report.paper_numbers import GRPO
from afterburner.evals.report.rebuttal_numbers import LEVELS, LEVELS_SOURCE
from afterburner.evals.report.run_scores import raw_scores, score_of
from afterburner.evals.report.table import Cell, Table, empty_table, number_cell, text_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.evals.report.measures import Measure
    from afterburner.evals.report.run_scores import RunScores

_KEY, _TITLE = "difficulty", "By difficulty"
_BEYOND = (BEYOND_T, BEYOND_M, BEYOND_I)
_RULE = f"Levels off: the first iteration from which on the score stays within {GAP:.0%} of the last one."
_ORDER = ("easy", "introductory", "medium", "interview", "hard", "competition")


def levels_table(runs: Sequence[RunScores]) -> Table:
    """The table of runs on one dataset."""
    rows = [row for each in runs for row in _rows(each)]
    if not rows:
        return empty_table(_KEY, _TITLE, "The dataset does not say how difficult its problems are.")
    heads = (head for one in _BEYOND for head in (f"{one.value}, %", f"{one.value} levels off at"))
    columns = ("run", "difficulty", "problems", "iteration", *heads)
    return Table(_KEY, _TITLE, columns, tuple(rows), (*captions(runs), _RULE), LEVELS_SOURCE)


def _rows(each: RunScores) -> Iterator[tuple[Cell, ...]]:
    evaluation = each.main.evaluation
    levels = {one: levels_by_difficulty(evaluation, objective) for one in _BEYOND if (objective := one.objective)}
    names = dict.fromkeys(problem.difficulty for problem in evaluation.problems if problem.difficulty)
    for name in sorted(names, key=lambda one: (_ORDER.index(one) if one in _ORDER else len(_ORDER), one)):
        some = tuple(problem for problem in evaluation.problems if problem.difficulty == name)
        part = replace(evaluation, problems=some)
        cells = []
        for one in _BEYOND:
            score = score_of(raw_scores(part, one, evaluation.iterations))
            cells += [number_cell(score, NO_REFERENCES), _level(levels[one].get(name), _papers(each, one, name))]
        yield (*text_cells(each.run.label, name, len(some), evaluation.iterations), *cells)


def _level(level: int | None, papers: int | None) -> Cell:
    paper = None if papers is None else Score(papers)
    if level is None:
        return Cell(paper=paper, missing=NO_REFERENCES, digits=0)
    return Cell(score=Score(level), paper=paper, digits=0)


def _papers(each: RunScores, measure: Measure, difficulty: str) -> int | None:
    run = each.run
    if run.paper_model != GRPO or not run.is_papers_loop:
        return None
    return LEVELS.get((run.paper_dataset, measure), {}).get(difficulty)

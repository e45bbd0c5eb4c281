"""Absolute figures of what passes, and gains on what passes on both sides: efficiency without correctness."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.errors import EvaluationError
from afterburner.evals.metrics.intervals import SEED, Interval, geometric_mean_interval, ratio_interval
from afterburner.evals.metrics.scores import at_iteration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from afterburner.agent.types import Objective
    from afterburner.evals.evaluation import EvaluatedProblem, Evaluation


@dataclass(frozen=True, slots=True)
class Totals:
    """What passes at an iteration, in the unit of the objective: s, KiB or KiB·s.

    The set of passing solutions grows from one iteration to the next, so totals of two iterations are not of the same
    solutions; `common_gain` compares like with like.
    """

    iteration: int
    passing: int  # generations that pass and have a figure, of all problems together
    total: float  # of their figures
    mean: float  # NaN: none passes


@dataclass(frozen=True, slots=True)
class CommonGain:
    """The figures of one side relative to the other's, on problems that pass on both.

    Attributes:
        problems: how many there are on both sides with a passing generation that counts.
        solutions: how many pairs of generations; of two runs, whose generations have no partners, the same as problems.
        before_total: the sum of the problems' figures before, in the unit of the objective.
        after_total: the sum after.
        ratio_of_totals: after / before, below 1 is better; large problems weigh most. Its interval resamples problems.
        geometric_mean: of the problems' ratios, each of equal weight; likewise.
    """

    problems: int
    solutions: int
    before_total: float
    after_total: float
    ratio_of_totals: Interval
    geometric_mean: Interval


def totals(evaluation: Evaluation, objective: Objective) -> list[Totals]:
    """One row for each iteration: how many solutions pass, and the total and mean of their figures."""
    rows = []
    for iteration in range(evaluation.iterations + 1):
        figures = [solution_figures(each, objective, iteration) for each in evaluation.problems]
        known = np.concatenate([each[np.isfinite(each)] for each in figures]) if figures else np.zeros(0)
        mean = float(known.mean()) if len(known) else float("nan")
        rows.append(Totals(iteration, len(known), float(known.sum()), mean))
    return rows


def solution_figures(problem: EvaluatedProblem, objective: Objective, iteration: int) -> NDArray[np.float64]:
    """One figure for each generation: the median of its runs. NaN: it does not pass, or has no figure."""
    runs = problem.figures[objective][:, at_iteration(problem, iteration)]
    figures = np.full(len(runs), np.nan)
    known = np.isfinite(runs).any(axis=1)
    figures[known] = np.nanmedian(runs[known], axis=1)
    return figures


def gain_between_iterations(
    evaluation: Evaluation, objective: Objective, before: int, after: int, seed: int = SEED
) -> CommonGain:
    """The gain from one iteration to another, on the generations that pass at both.

    A problem's figure is the mean over its common generations, its ratio the geometric mean of theirs.
    """
    pairs = [
        (solution_figures(each, objective, before), solution_figures(each, objective, after))
        for each in evaluation.problems
    ]
    common = [(old[both], new[both]) for old, new in pairs if (both := np.isfinite(old) & np.isfinite(new)).any()]
    return _gain(common, sum(len(old) for old, _ in common), seed)


def gain_between_runs(
    before: tuple[Evaluation, int],
    after: tuple[Evaluation, int],
    objective: Objective,
    seed: int = SEED,
    *,
    machine: Mapping[str, float] | None = None,
) -> CommonGain:
    """The gain from one run to another, each at an iteration, on the problems of which a generation passes in both.

    Generations of two runs have no partners: a problem's figure is the mean over those that pass, its ratio that of
    their geometric means.

    Args:
        before: an evaluation, and its iteration.
        after: likewise.
        objective: whose figures these are.
        seed: of the intervals.
        machine: what the figures after are divided by, see `machine_ratios`; problems that it lacks are left out. None:
            figures count as they are.

    Raises:
        EvaluationError: the runs have no problem in common.
    """
    old = {each.id: solution_figures(each, objective, before[1]) for each in before[0].problems}
    new = {each.id: solution_figures(each, objective, after[1]) for each in after[0].problems}
    if not old.keys() & new.keys():
        raise EvaluationError(
            f"{before[0].name} and {after[0].name} have no problem in common. Compare runs of one dataset."
        )
    if machine is not None:
        new = {name: figures / machine[name] for name, figures in new.items() if name in machine}
    pairs = [(old[name][np.isfinite(old[name])], new[name][np.isfinite(new[name])]) for name in old if name in new]
    common = [(earlier, later) for earlier, later in pairs if len(earlier) and len(later)]
    return _gain(common, len(common), seed)


def _gain(common: list[tuple[NDArray[np.float64], NDArray[np.float64]]], solutions: int, seed: int) -> CommonGain:
    before = np.array([old.mean() for old, _ in common])
    after = np.array([new.mean() for _, new in common])
    ratios = np.array([math.exp(np.log(new).mean() - np.log(old).mean()) for old, new in common])
    return CommonGain(
        len(common),
        solutions,
        float(before.sum()),
        float(after.sum()),
        ratio_interval(after, before, seed=seed),
        geometric_mean_interval(ratios, seed=seed),
    )

"""Beyond-T, Beyond-M and Beyond-I: how large a share of the known solutions a generation is at least as good as."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.metrics.scores import Scores, at_iteration, stacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from afterburner.agent.types import Objective
    from afterburner.evals.evaluation import EvaluatedProblem, Evaluation


def percentile_rank(values: NDArray[np.float64], references: NDArray[np.float64]) -> NDArray[np.float64]:
    """PR(x, D): the share of references whose figure is x or larger (equation 12 of the Afterburner paper).

    Ties count as beaten: whatever equals the smallest reference ranks 1, whatever equals the largest still ranks above
    0. The rank is what the original computes: 1 - bisect_left(D, x) / |D|.

    Args:
        values: of any shape, in the unit of the references. NaN, the figure of a generation that fails, ranks 0.
        references: sorted, at least one.

    Returns:
        An array of the shape of `values`, from 0 to 1.
    """
    beaten = len(references) - np.searchsorted(references, values, side="left")
    ranks: NDArray[np.float64] = beaten / len(references)
    return ranks


def beyond_scores(evaluation: Evaluation, objective: Objective, iteration: int) -> Scores:
    """The percentile rank of every run of every generation at an iteration; a generation that fails has 0.

    Code that is the text of a reference has that reference's rank in every run: it ties with it. Its single runs lie on
    both sides of the reference's median, so holding each of them against it would make the code worse than itself.

    Problems without references are left out and named, as are those of which a passing generation has no figure.
    """
    scored: list[tuple[str, NDArray[np.float64], NDArray[np.bool_]]] = []
    without_references: list[str] = []
    unmeasured: list[str] = []
    for problem in evaluation.problems:
        if not len(problem.references[objective]):
            without_references.append(problem.id)
            continue
        passed = problem.passed[:, at_iteration(problem, iteration)]
        ranks = ranks_at(problem, objective, iteration)
        if np.isnan(ranks).all(axis=1).any():
            unmeasured.append(problem.id)
        else:
            scored.append((problem.id, ranks, passed))
    ids, values, passing = zip(*scored, strict=True) if scored else ((), (), ())
    return stacked(ids, values, passing, without_references, unmeasured)


def beyond(evaluation: Evaluation, objective: Objective, iteration: int) -> float:
    """Beyond-T, -M or -I at an iteration: the mean over the problems that have references. NaN: there are none."""
    return beyond_scores(evaluation, objective, iteration).mean


def ranks_at(problem: EvaluatedProblem, objective: Objective, iteration: int) -> NDArray[np.float64]:
    """The ranks that Beyond counts of a problem with references: G x R, one for each repeat of each generation.

    0 where the generation fails, NaN where it passes and this repeat is missing.
    """
    at = at_iteration(problem, iteration)
    figures = problem.figures[objective][:, at]
    if objective in problem.as_known:
        as_known = problem.as_known[objective][:, at, np.newaxis]
        figures = np.where(np.isfinite(figures) & np.isfinite(as_known), as_known, figures)
    ranks = percentile_rank(figures, problem.references[objective])
    missing = np.isnan(figures) & problem.passed[:, at, np.newaxis]
    return np.where(missing, np.nan, np.where(problem.passed[:, at, np.newaxis], ranks, 0.0))

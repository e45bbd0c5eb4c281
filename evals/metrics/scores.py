"""Scores from 0 to 1 of every run of every generation: what means, intervals and paired tests are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from afterburner.evals.evaluation import EvaluatedProblem


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of one metric at one iteration. P problems, up to G generations, up to R runs of each.

    Attributes:
        ids: the P problems that are scored.
        values: float, P x G x R, from 0 to 1; a generation that fails has zeros. NaN, always at the end of an axis:
            this problem has fewer generations, or this generation fewer runs.
        passed: bool, P x G.
        without_references: problems that are left out, because nobody measured a reference solution of them.
        unmeasured: problems that are left out, because a generation passes and has no figure.
    """

    ids: tuple[str, ...]
    values: NDArray[np.float64]
    passed: NDArray[np.bool_]
    without_references: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()

    @property
    def by_problem(self) -> NDArray[np.float64]:
        """The mean of each problem, over its generations and their runs."""
        return problem_means(self.values)

    @property
    def mean(self) -> float:
        """The metric: the mean over problems, each of equal weight. NaN: there are none."""
        return float(self.by_problem.mean()) if self.ids else float("nan")


def problem_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means over runs, then over generations, of P x G x R scores that may hold NaN at the ends."""
    if not len(values):
        return np.zeros(0)
    runs = np.isfinite(values)
    counts = runs.sum(axis=-1)
    generations = np.where(runs, values, 0.0).sum(axis=-1) / np.maximum(counts, 1)
    known = counts > 0
    means: NDArray[np.float64] = np.where(known, generations, 0.0).sum(axis=-1) / known.sum(axis=-1)
    return means


def at_iteration(problem: EvaluatedProblem, iteration: int) -> int:
    """The index of an iteration. A search that ended early keeps its code, so its last one counts from there on.

    Raises:
        EvaluationError: the iteration is negative.
    """
    if iteration < 0:
        raise EvaluationError(f"There is no iteration {iteration}: they count from 0.")
    last: int = problem.passed.shape[1] - 1
    return min(iteration, last)


def stacked(
    ids: Sequence[str],
    values: Sequence[NDArray[np.float64]],
    passed: Sequence[NDArray[np.bool_]],
    without_references: Sequence[str] = (),
    unmeasured: Sequence[str] = (),
) -> Scores:
    """Scores from one G x R array for each problem; the arrays may differ in size, and hold NaN anywhere."""
    generations = max((each.shape[0] for each in values), default=0)
    runs = max((each.shape[1] for each in values), default=0)
    together = np.full((len(values), generations, runs), np.nan)
    passing = np.zeros((len(values), generations), dtype=np.bool_)
    for at, (scores, passes) in enumerate(zip(values, passed, strict=True)):
        together[at, : scores.shape[0], : scores.shape[1]] = np.sort(scores, axis=1)  # NaN goes to the end
        passing[at, : len(passes)] = passes
    return Scores(tuple(ids), together, passing, tuple(without_references), tuple(unmeasured))

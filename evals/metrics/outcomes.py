"""B%, M%, W% and F%: as good as all known solutions, among them, worse than all, or failed (table 3 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.metrics.percentile import beyond_scores
from afterburner.evals.metrics.scores import problem_means

if TYPE_CHECKING:
    from afterburner.agent.types import Objective
    from afterburner.evals.evaluation import Evaluation


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Shares of all runs, those of generations that fail among them; the four add up to 1.

    Attributes:
        better: percentile rank 1. A tie with the best reference counts, as in the original, so this is "at least as
            good as all".
        within: between the two.
        worse: percentile rank 0 though it passes: strictly worse than every reference.
        failed: does not pass.
        problems: how many problems the shares are of, each of equal weight.
        left_out: problems without references, or with a passing generation that has no figure.
    """

    better: float
    within: float
    worse: float
    failed: float
    problems: int
    left_out: tuple[str, ...] = ()


def outcomes(evaluation: Evaluation, objective: Objective, iteration: int) -> Outcomes:
    """The shares at an iteration. NaN: no problem has references."""
    scores = beyond_scores(evaluation, objective, iteration)
    left_out = scores.without_references + scores.unmeasured
    if not scores.ids:
        nan = float("nan")
        return Outcomes(nan, nan, nan, nan, 0, left_out)
    ranks, passed = scores.values, scores.passed[..., np.newaxis]

    def share(of: np.ndarray) -> float:
        return float(problem_means(np.where(np.isnan(ranks), np.nan, of)).mean())

    better, worse, failed = share(passed & (ranks == 1)), share(passed & (ranks == 0)), share(~passed & (ranks == 0))
    return Outcomes(better, share(passed & (ranks > 0) & (ranks < 1)), worse, failed, len(scores.ids), left_out)

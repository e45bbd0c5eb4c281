"""Pass@1 and pass@k: the share of generations that pass all tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.errors import EvaluationError
from afterburner.evals.metrics.scores import Scores, at_iteration, stacked

if TYPE_CHECKING:
    from afterburner.evals.evaluation import Evaluation


def chance_of_a_pass(generations: int, passing: int, k: int) -> float:
    """The chance that one of k generations passes, drawn without replacement: 1 - C(n - c, k) / C(n, k).

    The unbiased estimate of pass@k (Chen et al., 2021, equation 1), in exact integers.

    Args:
        generations: n, all that were made of a problem.
        passing: c, how many of them pass.
        k: how many are drawn.

    Raises:
        EvaluationError: there are fewer than k generations, or more passing ones than generations.
    """
    if not 0 < k <= generations:
        raise EvaluationError(
            f"pass@{k} needs at least {max(k, 1)} generations of each problem; there are {generations}."
        )
    if not 0 <= passing <= generations:
        raise EvaluationError(f"{passing} of {generations} generations cannot pass.")
    return 1.0 - math.comb(generations - passing, k) / math.comb(generations, k)


def pass_scores(evaluation: Evaluation, iteration: int) -> Scores:
    """1 for each generation that passes at an iteration, 0 for the others; over all problems."""
    passed = [each.passed[:, at_iteration(each, iteration)] for each in evaluation.problems]
    values = [each.astype(np.float64)[:, np.newaxis] for each in passed]
    return stacked([each.id for each in evaluation.problems], values, passed)


def pass_at_k_scores(evaluation: Evaluation, k: int, iteration: int) -> Scores:
    """Pass@k of each problem (P x 1 x 1), for intervals that resample problems.

    Raises:
        EvaluationError: a problem has fewer than k generations.
    """
    passed = [each.passed[:, at_iteration(each, iteration)] for each in evaluation.problems]
    values = [np.array([[chance_of_a_pass(len(each), int(each.sum()), k)]]) for each in passed]
    return stacked([each.id for each in evaluation.problems], values, [np.array([each.any()]) for each in passed])

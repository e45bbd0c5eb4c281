"""Intervals for scores of seeds and problems that are crossed: one trained model meets every problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.metrics.intervals import LEVEL, RESAMPLES, SEED, expanded_percentiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from afterburner.evals.metrics.intervals import Interval


def crossed_interval(values: NDArray[np.float64], *, level: float = LEVEL) -> Interval:
    """An interval for the mean over seeds and problems.

    A resample draws seeds and, apart from them, problems, and means over all pairs of the two: Owen's pigeonhole
    bootstrap ("The pigeonhole bootstrap", 2007). Drawing seeds anew within each problem would count what a trained
    model is worth on all problems as if it were chance on each. The percentiles are widened as for a sample as large as
    the smaller of the two numbers, so that five seeds are not taken for many.

    Args:
        values: float, S x P, for example differences between two models.
        level: of confidence.

    Raises:
        ValueError: there are fewer than two seeds or two problems, of which no spread follows.
    """
    seeds, problems = values.shape
    if min(seeds, problems) < 2:
        raise ValueError(f"{seeds} seeds and {problems} problems have no spread to resample.")
    rng = np.random.default_rng(SEED)
    of_seeds = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=RESAMPLES) / seeds
    of_problems = rng.multinomial(problems, np.full(problems, 1 / problems), size=RESAMPLES) / problems
    found = np.einsum("rs,sp,rp->r", of_seeds, values, of_problems)
    return expanded_percentiles(found, float(values.mean()), min(seeds, problems), level)

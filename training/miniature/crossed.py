"""Intervals for scores of seeds and problems that are crossed: one trained model meets every problem."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.metrics.intervals import LEVEL, RESAMPLES, SEED, Interval, within_bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray


def crossed_interval(
    values: NDArray[np.float64], bounds: tuple[float, float] = (-1.0, 1.0), *, level: float = LEVEL
) -> Interval:
    """An interval for the mean over seeds and problems.

    A resample draws seeds and, independently, problems, and averages over all pairs of the two: Owen's pigeonhole
    bootstrap ("The pigeonhole bootstrap", 2007). Drawing seeds anew within each problem would treat what a trained
    model is worth on all problems as chance on each.

    The interval is the mean ± Student's t times the standard deviation of the resamples. With n the smaller of the
    numbers of seeds and problems, t has n - 1 degrees of freedom, and the factor sqrt(n / (n - 1)) makes up for the
    spread that a bootstrap of n values lacks. Percentiles of the resamples would not do: with five seeds they stay
    within the range of the five, and that range misses the truth in one case of sixteen.

    Args:
        values: float, S x P, for example differences between two models.
        bounds: between which any value lies.
        level: of confidence.

    Raises:
        ValueError: there are fewer than two seeds or two problems, of which no spread follows.
    """
    from scipy import stats  # noqa: PLC0415 - heavy

    seeds, problems = values.shape
    smaller = min(seeds, problems)
    if smaller < 2:
        raise ValueError(f"{seeds} seeds and {problems} problems have no spread to resample.")
    rng = np.random.default_rng(SEED)
    of_seeds = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=RESAMPLES) / seeds
    of_problems = rng.multinomial(problems, np.full(problems, 1 / problems), size=RESAMPLES) / problems
    found = np.einsum("rs,sp,rp->r", of_seeds, values, of_problems)
    student = float(stats.t.ppf((1 + level) / 2, df=smaller - 1))
    half = student * math.sqrt(smaller / (smaller - 1)) * float(found.std())
    mean = float(values.mean())
    return within_bounds(Interval(mean, mean - half, mean + half, problems, level), bounds)

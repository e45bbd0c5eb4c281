"""Intervals for scores of seeds and problems that are crossed: one trained model meets every problem.

Owen's pigeonhole bootstrap ("The pigeonhole bootstrap", 2007) draws seeds and, independently, problems, and averages
over all pairs of the two. Drawing seeds anew within each problem would treat what a trained model is worth on all
problems as chance on each.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.metrics.intervals import LEVEL, SEED, Interval, expanded_percentiles, within_bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray

_RESAMPLES = 20_000  # percentiles of fewer move by half a point with the seed of the draws


def crossed_interval(
    values: NDArray[np.float64], bounds: tuple[float, float] = (-1.0, 1.0), *, level: float = LEVEL
) -> Interval:
    """An interval for the mean over seeds and problems: the mean ± Student's t times a standard error.

    The standard error is that of the pigeonhole bootstrap, which has a closed form. With n the smaller of the numbers
    of seeds and problems, t has n - 1 degrees of freedom, and the factor sqrt(n / (n - 1)) makes up for the spread that
    a bootstrap of n values lacks.

    Args:
        values: float, S x P, for example differences between two models.
        bounds: between which any value lies.
        level: of confidence.

    Raises:
        ValueError: there are fewer than two seeds or two problems, of which no spread follows.
    """
    from scipy import stats  # noqa: PLC0415 - heavy

    smaller = _smaller_side(values)
    student = float(stats.t.ppf((1 + level) / 2, df=smaller - 1))
    half = student * math.sqrt(smaller / (smaller - 1)) * resampled_deviation(values)
    mean = float(values.mean())
    return within_bounds(Interval(mean, mean - half, mean + half, values.shape[1], level), bounds)


def crossed_percentiles(
    values: NDArray[np.float64], bounds: tuple[float, float] = (-1.0, 1.0), *, level: float = LEVEL
) -> Interval:
    """An interval for the same mean from percentiles of the bootstrap, moved outwards as for a sample of n values.

    The arguments and the error are those of `crossed_interval`.
    """
    smaller = _smaller_side(values)
    rng = np.random.default_rng(SEED)
    of_seeds, of_problems = (
        rng.multinomial(count, np.full(count, 1 / count), size=_RESAMPLES) / count for count in values.shape
    )
    found = np.einsum("rs,sp,rp->r", of_seeds, values, of_problems, optimize=True)
    return within_bounds(expanded_percentiles(found, float(values.mean()), smaller, level), bounds)


def resampled_deviation(values: NDArray[np.float64]) -> float:
    """The standard deviation of the means of all resamples of S x P values.

    The means of seeds, those of problems, and what is left of each value after both vary independently in a resample.
    """
    seeds, problems = values.shape
    of_seeds = values.mean(axis=1, keepdims=True) - values.mean()
    of_problems = values.mean(axis=0, keepdims=True) - values.mean()
    rest = values - values.mean() - of_seeds - of_problems
    variance = (of_seeds**2).sum() / seeds**2 + (of_problems**2).sum() / problems**2
    return math.sqrt(float(variance + (rest**2).sum() / (seeds * problems) ** 2))


def _smaller_side(values: NDArray[np.float64]) -> int:
    seeds, problems = map(int, values.shape)
    if min(seeds, problems) < 2:
        raise ValueError(f"{seeds} seeds and {problems} problems have no spread to resample.")
    return min(seeds, problems)

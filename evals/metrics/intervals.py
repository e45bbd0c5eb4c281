"""Percentile intervals from a two-level bootstrap over problems and runs.

A resample draws problems with replacement. Within each drawn problem it draws generations, and within each drawn
generation runs, both with replacement. Two corrections make the intervals cover what they say:

- The resamples have the variance of the problems' means: see `Resampled.corrected`.
- Percentiles of n problems are too narrow by the factor sqrt((n - 1) / n), and assume the normal distribution instead
  of Student's t. The percentiles are taken further out by exactly that: Hesterberg's expanded percentile interval
  ("What Teachers Should Know about the Bootstrap", 2015). At 43 problems and 95% these are the percentiles 2.1 and
  97.9, at 6 problems 0.24 and 99.76.

`make bench-coverage` shows by simulation how often they contain the truth: in 93.9% to 95.8% of 1,000 evaluations of 43
problems, depending on the metric. Of a dozen problems or fewer they contain it a little less often than they say,
where scores are skewed: Beyond-T in 92.9% of the evaluations of 12 problems.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.metrics.resampling import resampled
from afterburner.evals.metrics.scores import problem_means

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVEL = 0.95
RESAMPLES = 2000
SEED = 0
# Problems. Of fewer, no simulation shows that resampling covers what it says: of two, the bounds may be the two scores
# themselves. If fewer all differ in the same direction, that is chance in more than 5% (sign test).
FEW = 6
_NO_SPREAD = 1e-12  # what sums of equal scores differ by


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and the bounds of its interval at `level`, from a number of problems. NaN: there are no problems."""

    estimate: float
    low: float
    high: float
    problems: int
    level: float = LEVEL

    @property
    def half_width(self) -> float:
        """Half the distance between the bounds."""
        return (self.high - self.low) / 2


def bootstrap_interval(
    values: NDArray[np.float64], *, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval:
    """An interval for the mean over problems of scores from 0 to 1.

    If all scores are the same, resampling shows no spread, and the interval is that of `uniform_interval`. Of a single
    problem nothing follows for others: its interval is 0 to 1.

    Args:
        values: P x G x R, NaN at the ends of the axes where there is nothing, as in `Scores.values`.
        level: of confidence.
        resamples: how many are drawn.
        seed: of the draws; the same seed gives the same interval.
    """
    count = len(values)
    if count < 2:
        return _without_spread(problem_means(values), (0.0, 1.0), level)
    if np.nanmax(values) == np.nanmin(values):
        return uniform_interval(float(np.nanmax(values)), count, (0.0, 1.0), level)
    found = resampled([values], [1.0], resamples, seed)
    return within_bounds(expanded_percentiles(found.corrected, found.estimate, count, level), (0.0, 1.0))


def difference_interval(
    after: NDArray[np.float64],
    before: NDArray[np.float64],
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval:
    """An interval for the mean difference (after - before) of scores of the same problems, in the same order.

    A resample draws the same problems for both, and then the generations and runs of each by itself. If all problems
    differ by the same, as where both runs solve the same ones, resampling shows no spread, and the interval is that of
    `uniform_interval`. Of fewer than six problems it is at least that wide: of two, of which one does not differ, the
    corrected resamples leave out 0. Of a single problem nothing follows for others: its interval is -1 to 1.

    Args:
        after: P x G x R, see `bootstrap_interval`.
        before: P x G' x R'.
        level: of confidence.
        resamples: how many are drawn.
        seed: of the draws.

    Raises:
        ValueError: the two are not of equally many problems.
    """
    if len(after) != len(before):
        raise ValueError(f"{len(after)} problems cannot be paired with {len(before)}.")
    if len(after) < 2:
        return _without_spread(problem_means(after) - problem_means(before), (-1.0, 1.0), level)
    found = resampled([after, before], [1.0, -1.0], resamples, seed)
    if np.ptp(found.corrected) < _NO_SPREAD:
        return uniform_interval(found.estimate, len(after), (-1.0, 1.0), level)
    interval = expanded_percentiles(found.corrected, found.estimate, len(after), level)
    if len(after) < FEW:
        least = uniform_interval(found.estimate, len(after), (-1.0, 1.0), level)
        interval = replace(interval, low=min(interval.low, least.low), high=max(interval.high, least.high))
    return within_bounds(interval, (-1.0, 1.0))


def uniform_interval(value: float, count: int, bounds: tuple[float, float], level: float) -> Interval:
    """An interval for the mean of a score that is the same in all of `count` problems.

    A share of the problems may still score otherwise: at most that of which a sample without any of them has a chance
    of half the remaining probability, 1 - 0.025^(1/n) at 95% (Clopper and Pearson's bound for 0 of n). They may lie
    anywhere within the bounds.

    Args:
        value: of every problem.
        count: of the problems.
        bounds: between which any score lies.
        level: of confidence.
    """
    others = 1 - ((1 - level) / 2) ** (1 / count)
    low, high = (value + others * (bound - value) for bound in bounds)
    return Interval(value, low, high, count, level)


def mean_interval(
    values: NDArray[np.float64],
    bounds: tuple[float, float] = (-math.inf, math.inf),
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval:
    """An interval for the mean of one value for each problem; problems are resampled.

    Args:
        values: P values.
        bounds: between which any value lies; the interval of a single problem.
        level: of confidence.
        resamples: how many are drawn.
        seed: of the draws.
    """
    count = len(values)
    if count < 2:
        return _without_spread(values, bounds, level)
    drawn = np.random.default_rng(seed).integers(count, size=(resamples, count))
    return expanded_percentiles(values[drawn].mean(axis=1), float(values.mean()), count, level)


def geometric_mean_interval(ratios: NDArray[np.float64], *, resamples: int = RESAMPLES, seed: int = SEED) -> Interval:
    """An interval at 95% for the geometric mean of one positive ratio for each problem; problems are resampled."""
    logs = mean_interval(np.log(ratios), resamples=resamples, seed=seed)
    return replace(logs, estimate=_exp(logs.estimate), low=_exp(logs.low), high=_exp(logs.high))


def ratio_interval(
    after: NDArray[np.float64], before: NDArray[np.float64], *, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval:
    """An interval at 95% for sum(after) / sum(before) of positive figures; problems are resampled.

    Args:
        after: P figures, one for each problem.
        before: P figures of the same problems.
        resamples: how many are drawn.
        seed: of the draws.
    """
    count = len(after)
    if count < 2:
        return _without_spread(after / before, (0.0, math.inf), LEVEL)
    drawn = np.random.default_rng(seed).integers(count, size=(resamples, count))
    found = after[drawn].sum(axis=1) / before[drawn].sum(axis=1)
    return expanded_percentiles(found, float(after.sum() / before.sum()), count, LEVEL)


def expanded_percentiles(found: NDArray[np.float64], estimate: float, count: int, level: float) -> Interval:
    """Hesterberg's expanded percentiles of resamples of `count` problems, at least two."""
    from scipy import stats  # noqa: PLC0415 - heavy

    student = float(stats.t.ppf((1 + level) / 2, df=count - 1))
    tail = NormalDist().cdf(-math.sqrt(count / (count - 1)) * student)
    low, high = np.quantile(found, [tail, 1 - tail])
    return Interval(estimate, min(float(low), estimate), max(float(high), estimate), count, level)


def within_bounds(interval: Interval, bounds: tuple[float, float]) -> Interval:
    """The part of an interval where the mean can lie at all: the correction may lead a little beyond."""
    return replace(interval, low=max(interval.low, bounds[0]), high=min(interval.high, bounds[1]))


def _without_spread(values: NDArray[np.float64], bounds: tuple[float, float], level: float) -> Interval:
    """Of one problem, or none."""
    if not len(values):
        return Interval(math.nan, math.nan, math.nan, 0, level)
    return Interval(float(values[0]), *bounds, problems=1, level=level)


def _exp(value: float) -> float:
    return math.inf if value > 700 else math.exp(value)

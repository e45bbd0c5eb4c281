"""Agreement: of two curves (Pearson's r), and of two rankings of the same solutions (Kendall's tau)."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.metrics.intervals import RESAMPLES, SEED, Interval, mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """Kendall's tau-b of two rankings, for each problem and on average.

    Attributes:
        mean: over problems, each of equal weight; the interval resamples problems.
        by_problem: tau of each problem; NaN: it has fewer than two solutions, or one side ranks all alike.
        undefined: how many problems have NaN; they do not count.
    """

    mean: Interval
    by_problem: tuple[float, ...]
    undefined: int


def pearson(first: Sequence[float], second: Sequence[float]) -> float:
    """Pearson's r of two curves, such as those on public and on private tests. NaN: a curve is flat, or too short.

    Raises:
        ValueError: the curves differ in length.
    """
    if len(first) != len(second):
        raise ValueError(f"A curve of {len(first)} points cannot be compared with one of {len(second)}.")
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    from scipy import stats  # noqa: PLC0415 - heavy

    with warnings.catch_warnings():  # nearly flat: r is what rounding makes of it
        warnings.simplefilter("ignore")
        return float(stats.pearsonr(one, other).statistic)


def kendall_tau(first: Sequence[float], second: Sequence[float], *, apart: float = 1.0) -> float:
    """Kendall's tau-b of two lists of figures of the same solutions. NaN: see `RankAgreement.by_problem`.

    Args:
        first: the figures by one measurement, positive.
        second: by the other one.
        apart: above 1, only pairs count of which `first` has one figure so many times the other. Pairs that are closer
            are ranked by noise. Without them there are no ties in `first`, and tau is the share of pairs in the same
            order less the share in the opposite one.

    Raises:
        ValueError: the lists differ in length.
    """
    from scipy import stats  # noqa: PLC0415 - heavy

    if len(first) != len(second):
        raise ValueError(f"{len(first)} solutions cannot be ranked like {len(second)}.")
    if apart > 1:
        orders = [
            math.copysign(1, one - other) * np.sign(their_one - their_other)
            for (one, their_one), (other, their_other) in combinations(zip(first, second, strict=True), 2)
            if max(one, other) >= apart * min(one, other)
        ]
        return fmean(orders) if orders else math.nan
    if len(first) < 2 or len(set(first)) == 1 or len(set(second)) == 1:
        return float("nan")
    return float(stats.kendalltau(first, second).statistic)


def rank_agreement(
    pairs: Sequence[tuple[Sequence[float], Sequence[float]]],
    *,
    apart: float = 1.0,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> RankAgreement:
    """Kendall's tau over problems: does one measurement rank known solutions as another one did?

    Args:
        pairs: for each problem the figures of its solutions by one and by the other.
        apart: see `kendall_tau`.
        resamples: of the bootstrap over problems.
        seed: of the draws.

    Raises:
        ValueError: the two lists of a problem differ in length.
    """
    found = np.array([kendall_tau(first, second, apart=apart) for first, second in pairs])
    known = found[np.isfinite(found)]
    interval = mean_interval(known, (-1.0, 1.0), resamples=resamples, seed=seed)
    return RankAgreement(interval, tuple(found.tolist()), len(found) - len(known))

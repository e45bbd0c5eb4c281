"""Exact bounds of a rate that was seen in a number of independent trials (Clopper & Pearson 1934), one-sided."""

from __future__ import annotations

import math

CONFIDENCE = 0.95
_HALVINGS = 60  # of the interval from 0 to 1: to the last digit


def upper_bound(hits: int, trials: int, confidence: float = CONFIDENCE) -> float:
    """The largest rate with which so few hits in so many trials are not yet too unlikely.

    Without a hit that is 1 - (1 - confidence)^(1 / trials), about 3 / trials at 95% (the rule of three).
    """
    if hits >= trials:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _at_most(hits, trials, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def lower_bound(hits: int, trials: int, confidence: float = CONFIDENCE) -> float:
    """The smallest rate with which so many hits in so many trials are not yet too unlikely."""
    return 1 - upper_bound(trials - hits, trials, confidence)


def _at_most(hits: int, trials: int, rate: float) -> float:
    """The probability of no more than so many hits; `rate` lies inside (0, 1)."""
    return math.fsum(
        math.exp(math.log(math.comb(trials, k)) + k * math.log(rate) + (trials - k) * math.log1p(-rate))
        for k in range(hits + 1)
    )

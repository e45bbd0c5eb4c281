"""The gain of one program over another, with its bootstrap interval, from interleaved pairs of samples."""

from __future__ import annotations

import math
import random
import statistics
from typing import TYPE_CHECKING

from afterburner.agent.types import Gain

if TYPE_CHECKING:
    from collections.abc import Sequence

RESAMPLES = 2000
TRIMMED_SHARE = 0.2  # of the pairs, cut off at each end


def paired_gain(pairs: Sequence[tuple[float, float]], *, seed: int, confidence: float) -> Gain:
    """Estimate how many times smaller the second figure of each pair is than the first.

    The statistic is the 20% trimmed mean of the pairs' log ratios: each pair was taken side by side, so a drift of the
    machine cancels within it, and a few disturbed samples are cut off. (In simulated trials with 10% noise it passed
    identical code as rarely as the median did and found true gains more often.) The interval is the percentile
    bootstrap over pairs. With few pairs it reaches towards the extreme ones, which errs on the side of refusing.

    Args:
        pairs: (incumbent, candidate) figures, any unit, positive; at least one pair.
        seed: of the resampling, so that the same samples always give the same decision.
        confidence: two-sided.
    """
    floor = 1e-9  # a figure of zero is below the clock's resolution, not an infinite gain
    ratios = [math.log(max(before, floor) / max(after, floor)) for before, after in pairs]
    rng = random.Random(seed)  # noqa: S311 - resampling, not cryptography
    centres = sorted(_trimmed_mean(rng.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    tail = (1 - confidence) / 2
    return Gain(
        ratio=math.exp(_trimmed_mean(ratios)),
        low=math.exp(centres[math.floor(tail * (RESAMPLES - 1))]),
        high=math.exp(centres[math.ceil((1 - tail) * (RESAMPLES - 1))]),
        confidence=confidence,
        pairs=len(pairs),
    )


def _trimmed_mean(values: Sequence[float]) -> float:
    cut = int(len(values) * TRIMMED_SHARE)
    return statistics.fmean(sorted(values)[cut : len(values) - cut])

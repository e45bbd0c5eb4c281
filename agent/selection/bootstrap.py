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


def paired_gain(pairs: Sequence[tuple[float, float]], *, seed: int, confidence: float) -> Gain:
    """Estimate how many times smaller the second figure of each pair is than the first.

    The statistic is the median of the pairs' log ratios: each pair was taken side by side, so a drift of the machine
    cancels within it, and one disturbed sample cannot carry the median. The interval is the percentile bootstrap
    over pairs. With few pairs it reaches to the extreme pairs, which errs on the side of refusing.

    Args:
        pairs: (incumbent, candidate) figures, any unit, positive; at least one pair.
        seed: of the resampling, so that the same samples always give the same decision.
        confidence: two-sided.
    """
    floor = 1e-9  # a figure of zero is below the clock's resolution, not an infinite gain
    ratios = [math.log(max(before, floor) / max(after, floor)) for before, after in pairs]
    rng = random.Random(seed)  # noqa: S311 - resampling, not cryptography
    medians = sorted(statistics.median(rng.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    tail = (1 - confidence) / 2
    return Gain(
        ratio=math.exp(statistics.median(ratios)),
        low=math.exp(medians[math.floor(tail * (RESAMPLES - 1))]),
        high=math.exp(medians[math.ceil((1 - tail) * (RESAMPLES - 1))]),
        confidence=confidence,
        pairs=len(pairs),
    )

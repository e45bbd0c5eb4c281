"""The confirmatory test: Wilcoxon's signed-rank test on blocks, looked at a few times that are fixed beforehand.

Every block is the logarithm of the ratio of two figures that were taken side by side in an order that a coin decided.
If the two programs do not differ, the sign of that number is a coin toss whatever the noise is like, so the test holds
without any assumption on the noise but that it does not know which program it disturbs. A shift by the minimum effect
is tested in the same way. The error of each look is a share of `ALPHA`; the shares of all looks of all tests of a run
add up to it, so by the union bound neither stopping at any look nor trying another winner inflates the error
(Bonferroni's form of alpha spending, Lan & DeMets 1983).

The interval is the test turned round (Hodges & Lehmann 1963): the bounds are order statistics of the means of all pairs
of blocks, at the level of the look at which the test stopped (repeated confidence intervals, Jennison & Turnbull 1989).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ALPHA = 0.01  # one-sided, of all tests of a run together

# Blocks, and the share of the error spent there: of the first test of a run, and of each one after it.
FIRST_LOOKS = ((8, 0.004), (16, 0.001), (32, 0.0007), (64, 0.0006), (128, 0.0007))
FURTHER_LOOKS = ((16, 0.0003), (32, 0.0002), (64, 0.0002), (128, 0.0003))
# Of a comparison in both directions: each bound of the interval may be wrong with half the error, `ALPHA / 2`.
TWO_SIDED_LOOKS = ((8, 0.004), (16, 0.0004), (32, 0.0002), (64, 0.0002), (128, 0.0002))
MOST_TESTS = 4  # of a run: a winner that fails its test makes room for the next
MOST_BLOCKS = FIRST_LOOKS[-1][0]


@dataclass(frozen=True, slots=True)
class Look:
    """A moment at which the test may end: after how many blocks, and at which one-sided level."""

    blocks: int
    alpha: float


def plan_looks(most_blocks: int, attempt: int = 0) -> tuple[Look, ...]:
    """The looks of a test that may take `most_blocks` blocks; the last one gets what is left of the error.

    To be called before the first block is taken: with what it depends on (cost, time budget) the samples have nothing
    to do.

    Args:
        most_blocks: fewer than the first look needs are as many as that.
        attempt: how many tests of this run came before, below `MOST_TESTS`. The errors of all of them add up to
            `ALPHA`, and most of it is for the first, which is asked about the most promising candidate.
    """
    return _planned(FURTHER_LOOKS if attempt else FIRST_LOOKS, most_blocks)


def plan_two_sided(most_blocks: int) -> tuple[Look, ...]:
    """The looks of a comparison in both directions, likewise: the error of each bound adds up to `ALPHA / 2`."""
    return _planned(TWO_SIDED_LOOKS, most_blocks)


def _planned(table: tuple[tuple[int, float], ...], most_blocks: int) -> tuple[Look, ...]:
    kept = [Look(blocks, alpha) for blocks, alpha in table if blocks <= max(most_blocks, table[0][0])]
    left = math.fsum(alpha for _, alpha in table[len(kept) - 1 :])
    return (*kept[:-1], Look(kept[-1].blocks, left))


def estimate(values: Sequence[float]) -> float:
    """The Hodges-Lehmann estimate of the centre: the median of the means of all pairs."""
    means = _pair_means(values)
    middle = len(means) // 2
    return means[middle] if len(means) % 2 else (means[middle - 1] + means[middle]) / 2


def bounds(values: Sequence[float], alpha: float) -> tuple[float, float]:
    """The lower and the upper bound of the centre, each wrong with a probability of at most `alpha`.

    With so few values that no bound has that level they are minus and plus infinity.
    """
    skipped = _most_skipped(len(values), alpha)
    if skipped is None:
        return -math.inf, math.inf
    means = _pair_means(values)
    return means[skipped], means[-1 - skipped]


def _pair_means(values: Sequence[float]) -> list[float]:
    """The means of all pairs, each value with itself included, sorted (Walsh averages)."""
    return sorted((first + second) / 2 for at, first in enumerate(values) for second in values[at:])


@cache
def _most_skipped(count: int, alpha: float) -> int | None:
    """How many of the smallest pair means may lie below the centre: the largest k with P(W <= k) <= alpha."""
    ways = [1]  # of the signed-rank statistic to take each value: subsets of the ranks 1 to count by their sum
    for rank in range(1, count + 1):
        longer = ways + [0] * rank
        for total, number in enumerate(ways):
            longer[total + rank] += number
        ways = longer
    allowed, cumulated = alpha * 2**count, 0
    for total, number in enumerate(ways):
        cumulated += number
        if cumulated > allowed:
            return total - 1 if total else None
    return None

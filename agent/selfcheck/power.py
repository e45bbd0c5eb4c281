"""The smallest gain that the test finds, from noise that was measured: the test itself, played with that noise."""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.judge.decide import FUTILITY_ALPHA
from afterburner.agent.judge.measuring.sequential import bounds, plan_looks
from afterburner.agent.judge.screening import PROMISING_SHARE

if TYPE_CHECKING:
    from collections.abc import Sequence

POWER = 0.95
GAMES = 400
_NORMAL = 1.4826  # of the median distance from the median, so that it is the standard deviation of a normal noise


def robust_sd(values: Sequence[float]) -> float:
    """The spread of most values, whatever a few of them do: that of a normal distribution is its standard deviation."""
    middle = statistics.median(values)
    return _NORMAL * statistics.median(abs(value - middle) for value in values)


@dataclass(frozen=True, slots=True)
class Noise:
    """Log ratios of blocks of identical code, less their centre, and how many blocks a test may take."""

    residuals: tuple[float, ...]
    most_blocks: int

    @classmethod
    def of(cls, log_ratios: Sequence[float], most_blocks: int) -> Noise:
        """From the log ratios as they were measured."""
        middle = statistics.median(log_ratios)
        return cls(tuple(value - middle for value in log_ratios), most_blocks)

    def resolution(self, seed: int = 0) -> float:
        """How far, as a logarithm, a gain has to be above the minimum effect for the test to find it mostly (`POWER`).

        The test only knows how far a gain is from the minimum effect, so the effect itself does not matter here.
        """
        rng = random.Random(seed)  # noqa: S311 - a simulation, the same each time
        return _quantile([self._needed_in_test(rng) for _ in range(GAMES)], POWER)

    def smallest_gain(self, min_effect: float, seed: int = 0) -> float:
        """The gain that is found mostly (`POWER`) at this minimum effect, screening included; 1.1 is 10%."""
        rng = random.Random(seed)  # noqa: S311 - likewise
        threshold = math.log1p(min_effect)
        promising = math.log1p(PROMISING_SHARE * min_effect)
        needed = [
            max(threshold + self._needed_in_test(rng), promising + self._needed_in_screening(rng)) for _ in range(GAMES)
        ]
        return math.exp(_quantile(needed, POWER))

    def _needed_in_test(self, rng: random.Random) -> float:
        """How far above the minimum effect a gain has to be for one series of noise: what decides grows with it."""
        series = rng.choices(self.residuals, k=self.most_blocks)
        needed, alive = math.inf, -math.inf
        for look in plan_looks(self.most_blocks):
            taken = series[: look.blocks]
            low, _ = bounds(taken, look.alpha)
            _, high = bounds(taken, FUTILITY_ALPHA)
            needed = min(needed, max(-low, alive))
            alive = max(alive, -high)  # below it the test gave up here
        return needed

    def _needed_in_screening(self, rng: random.Random) -> float:
        """Likewise above the share of the minimum effect that screening wants to see.

        Who comes through the first stage of a screening has had about as many samples as a block of the test, or more.
        """
        return -rng.choice(self.residuals)


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(math.ceil(share * len(values)), len(values)) - 1]

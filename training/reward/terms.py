"""The terms of the reward, as equations (6) to (9) of the paper have them, in the units that its clips are in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.types import Objective
from afterburner.training.reward.settings import Shape

if TYPE_CHECKING:
    from afterburner.training.reward.settings import RewardSettings

# What a failing program measures, and the most that any figure counts as.
CLIPS = {Objective.TIME: 90.0, Objective.MEMORY: 1_048_576.0, Objective.INTEGRAL: 94_371_840.0}  # s, KiB, KiB s
_EPSILON = 1e-9  # keeps a figure of 0 from dividing by it
_CORRECTNESS = {(False, True): 1.0, (True, True): 0.5, (False, False): -0.5, (True, False): -1.0}


@dataclass(frozen=True, slots=True)
class Side:
    """A code on one side of the reward: whether it passes, and its figure of the objective (s, KiB or KiB·s)."""

    passed: bool
    figure: float


def failing(objective: Objective) -> Side:
    """A code that fails, or is not there: it measures the limits."""
    return Side(passed=False, figure=CLIPS[objective])


@dataclass(frozen=True, slots=True)
class Terms:
    """The reward of one answer, and what it is made of; the terms are not weighted."""

    format: float
    correctness: float
    efficiency: float
    efficiency_weight: float
    total: float


def reward_terms(
    before: Side, after: Side, objective: Objective, settings: RewardSettings, *, strict: bool, progress: float
) -> Terms:
    """The reward of an answer.

    Args:
        before: the original; `failing(objective)` where there is none.
        after: the new code; `failing(objective)` where the answer has none.
        objective: which figures the sides have.
        settings: weights and variants.
        strict: whether the answer is in the strict format.
        progress: share of the training that is done, from 0 to 1.
    """
    made = 1.0 if strict else -1.0
    correctness = _CORRECTNESS[before.passed, after.passed]
    efficiency = _efficiency(before.figure, after.figure, CLIPS[objective], settings) if after.passed else 0.0
    weight = settings.efficiency_weight(progress)
    total = settings.format_weight * made + settings.correctness_weight * correctness + weight * efficiency
    return Terms(made, correctness, efficiency, weight, total)


def _efficiency(before: float, after: float, clip: float, settings: RewardSettings) -> float:
    first, second = min(before, clip), min(after, clip)
    if settings.shape is Shape.TANH:
        return math.tanh(_beyond((first - second) / (first + _EPSILON), settings.noise_floor))
    ratio = math.log10((first + _EPSILON) / (second + _EPSILON))
    return min(max(_beyond(ratio, math.log10(1 + settings.noise_floor)), -1.0), 1.0)


def _beyond(gain: float, floor: float) -> float:
    """What of a gain or loss is beyond the floor."""
    return math.copysign(max(abs(gain) - floor, 0.0), gain)

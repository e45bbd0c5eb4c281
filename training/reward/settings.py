"""What the reward is made of; the defaults are the paper's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from afterburner.sandbox import UsageError


class Shape(StrEnum):
    """How a gain becomes the efficiency term."""

    TANH = "tanh"  # of the share that is saved, as in the paper
    LOG_RATIO = "log-ratio"  # the decimal logarithm of before / after, from -1 to 1: ten times as good is 1


class Counted(StrEnum):
    """Which of several measurements of a code counts."""

    MEDIAN = "median"
    MINIMUM = "minimum"  # noise only ever adds time


@dataclass(frozen=True, slots=True)
class RewardSettings:
    """The settings of the reward (section 4 of the paper, equations 6 to 9).

    Attributes:
        format_weight: of +1 for an answer in the strict format, -1 for any other.
        correctness_weight: of the change from the original to the new code.
        efficiency_weight_first: of the efficiency term at the first step.
        efficiency_weight_last: at the last step; it grows linearly in between.
        shape: of the efficiency term.
        noise_floor: relative changes up to this share do not count; of a larger change, only the part beyond it does.
        repeats: measurements of each code.
        counted: which of them counts, of originals as well.
        baseline_repeats: measurements of an original when it is first seen.
        anchor_repeats: how often each original is measured again in a series, to tell how the machine has drifted.
    """

    format_weight: float = 0.2
    correctness_weight: float = 0.5
    efficiency_weight_first: float = 0.3
    efficiency_weight_last: float = 0.5
    shape: Shape = Shape.TANH
    noise_floor: float = 0.0
    repeats: int = 1
    counted: Counted = Counted.MEDIAN
    baseline_repeats: int = 3
    anchor_repeats: int = 3

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            UsageError: a value is out of them.
        """
        for name in ("format_weight", "correctness_weight", "efficiency_weight_first", "efficiency_weight_last"):
            weight = getattr(self, name)
            if not (math.isfinite(weight) and weight >= 0):
                raise UsageError(f"{name} {weight}: a weight is a number of 0 or more.")
        if not 0 <= self.noise_floor < 1:
            raise UsageError(f"noise_floor {self.noise_floor}: this is a share from 0 to below 1.")
        for name in ("repeats", "baseline_repeats", "anchor_repeats"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} {getattr(self, name)}: at least 1 is needed.")
        if self.counted is Counted.MINIMUM and (self.baseline_repeats, self.anchor_repeats) != (self.repeats, 1):
            raise UsageError(
                "counted minimum: more measurements have a lower minimum, so an original would seem faster than its "
                f"copy. Set baseline_repeats to {self.repeats}, as repeats, and anchor_repeats to 1."
            )

    def efficiency_weight(self, progress: float) -> float:
        """The weight of the efficiency term at a share of the training, from 0 to 1."""
        share = min(max(progress, 0.0), 1.0)
        return self.efficiency_weight_first + share * (self.efficiency_weight_last - self.efficiency_weight_first)

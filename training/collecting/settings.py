"""What a collection asks for, and which answers it keeps."""

from __future__ import annotations

import math
from dataclasses import dataclass

from afterburner.agent.option_kinds import HOTTEST, LARGEST_SEED
from afterburner.sandbox import UsageError

MOST_SAMPLES = 1_000
SEEDS_APART = MOST_SAMPLES  # between the prompts: each of their answers has a seed of its own


@dataclass(frozen=True, slots=True)
class CollectSettings:
    """What is asked for. It stays the same as long as a collection goes on.

    Attributes:
        model: as `run --model`.
        samples: answers to each prompt.
        temperature: of the model; None: its own.
        seed: of the answers.
    """

    model: str
    samples: int = 4
    temperature: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            UsageError: a value is out of them, or all samples would be the same.
        """
        if not 1 <= self.samples <= MOST_SAMPLES:
            raise UsageError(f"--samples {self.samples}: give a number from 1 to {MOST_SAMPLES:,}.")
        if self.temperature is not None and not 0 <= self.temperature <= HOTTEST:
            raise UsageError(f"--temperature {self.temperature:g}: give a number from 0 to {HOTTEST:g}.")
        if self.temperature == 0 and self.samples > 1:
            raise UsageError("At temperature 0 all answers to a prompt are the same. Give --samples 1.")
        if not 0 <= self.seed <= LARGEST_SEED:
            raise UsageError(f"--seed {self.seed}: give a number from 0 to {LARGEST_SEED}.")


@dataclass(frozen=True, slots=True)
class Filters:
    """Which answers are kept, beside those that pass. It may change from one call to the next.

    Attributes:
        improving: keep only answers that are better than the original.
        least_gap: how many times the original's figure has to be the answer's to count as better.
    """

    improving: bool = False
    least_gap: float = 1.2

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            UsageError: a value is out of them.
        """
        if not (math.isfinite(self.least_gap) and self.least_gap > 1):
            raise UsageError(f"--least-gap {self.least_gap:g}: give a ratio above 1.")

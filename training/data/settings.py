"""What a data set is built by."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from afterburner.agent.option_kinds import member
from afterburner.agent.types import Objective
from afterburner.sandbox import UsageError


class Recipe(StrEnum):
    """The data sets of section 4 of the paper, and the baseline of its rebuttal."""

    SFT = "sft"  # a worse solution in the prompt, a better one as the answer
    DPO = "dpo"  # a middling one in the prompt, the best as chosen, the worst as rejected
    GRPO = "grpo"  # prompts alone
    DIRECT = "direct"  # the problem in the prompt, its best solution as the answer; the rebuttal's direct generation
    COLD_START = "cold-start"  # a model's own answers that pass; `train collect` makes it


# About as many of each problem and objective as the paper has: 19,611 pairs and 30,288 triples of 984 problems.
_PAPERS_COUNT = {Recipe.SFT: 20, Recipe.DPO: 31, Recipe.GRPO: 1, Recipe.DIRECT: 1}


@dataclass(frozen=True, slots=True)
class DataSettings:
    """The settings of one data set.

    Attributes:
        recipe: which one.
        objectives: of the prompts.
        examples: the most of each problem and objective; None: about as many as the paper has.
        least_gap: how many times one figure has to be the other for two solutions to count as worse and better. The
            paper has none, so some of its preferences are noise.
        tell: what the prompts tell of the original, as `--tell`: the ablations leave out the numbers or its code.
        seed: of all random choices.
    """

    recipe: Recipe
    objectives: tuple[Objective, ...] = tuple(Objective)
    examples: int | None = None
    least_gap: float = 1.2
    tell: str = "paper"
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            UsageError: a value is out of them.
        """
        object.__setattr__(self, "recipe", member(Recipe, "recipe", self.recipe))
        object.__setattr__(self, "objectives", tuple(member(Objective, "objective", each) for each in self.objectives))
        if self.recipe is Recipe.COLD_START:
            raise UsageError(
                "A cold-start data set holds a model's answers, which train data cannot make. Build the prompts with "
                "train data grpo, then: afterburner-agent train collect --from DATA --model MODEL --out DIR"
            )
        if not self.objectives:
            raise UsageError("Give at least one objective.")
        if self.examples is not None and self.examples < 1:
            raise UsageError(f"--examples {self.examples}: at least 1 is needed.")
        if not (math.isfinite(self.least_gap) and self.least_gap > 1):
            raise UsageError(f"--least-gap {self.least_gap:g}: give a ratio above 1.")

    @property
    def most_examples(self) -> int:
        """The most of each problem and objective."""
        return _PAPERS_COUNT[self.recipe] if self.examples is None else self.examples

"""What a data set is made of stored runs by."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from afterburner.sandbox import UsageError


class RunRecipe(StrEnum):
    """The data sets that runs can become."""

    SFT = "sft"  # the original in the prompt, the proven offer as the answer
    DPO = "dpo"  # likewise, the offer as chosen, and what was refused or slower as rejected


@dataclass(frozen=True, slots=True)
class RunDataSettings:
    """The settings of one data set.

    Attributes:
        recipe: which one.
        examples: the most of each run; None: all. SFT has one.
        project: only runs on files in this folder count; empty: all.
        seed: of all random choices.
    """

    recipe: RunRecipe
    examples: int | None = None
    project: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the bounds.

        Raises:
            UsageError: a value is out of them.
        """
        if self.examples is not None and self.examples < 1:
            raise UsageError(f"--examples {self.examples}: at least 1 is needed.")

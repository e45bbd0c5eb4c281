"""The card of a cold-start data set: how many answers came, and how many of them each filter left."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from afterburner.training.data.settings import Recipe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.training.data.examples import Example

PAPERS_ASKED, PAPERS_KEPT = 3_392, 2_071  # section 4


@dataclass(slots=True)
class ColdStartCard:
    """Counts of answers.

    Attributes:
        prompts: that were to be asked.
        asked: answers that came.
        strict: of these, in the strict format.
        passing: of these, with code that passes all tests.
        examples: answers that are kept, by objective.
        left_out: answers that are not, by the reason.
        lost: what the sandbox said of those that it could not judge.
    """

    prompts: int
    asked: int = 0
    strict: int = 0
    passing: int = 0
    examples: Counter[str] = field(default_factory=Counter)
    problems: set[str] = field(default_factory=set)
    left_out: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)

    @property
    def kept(self) -> int:
        """How many answers are trained on."""
        return self.examples.total()

    def add(self, example: Example) -> None:
        """Count an answer that is kept."""
        self.examples[example["objective"]] += 1
        self.problems.add(example["problem_id"])

    def to_document(self) -> dict[str, Any]:
        """All of it as JSON holds it."""
        return {
            "recipe": Recipe.COLD_START.value,
            "examples": self.kept,
            "examples_by_objective": dict(sorted(self.examples.items())),
            "problems": len(self.problems),
            "prompts": self.prompts,
            "asked": self.asked,
            "strict": self.strict,
            "passing": self.passing,
            "left_out": dict(self.left_out.most_common()),
            "lost": self.lost,
            "paper": {"asked": PAPERS_ASKED, "examples": PAPERS_KEPT},
        }

    def to_markdown(self) -> str:
        """The card as a page."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield f"# Data set: {Recipe.COLD_START.value}\n"
        yield "| answers | ours | the paper's |\n| --- | ---: | ---: |"
        yield f"| asked | {self.asked:,} | {PAPERS_ASKED:,} |"
        yield f"| in the strict format | {self.strict:,} | not reported |"
        yield f"| passing | {self.passing:,} | not reported |"
        yield f"| kept | {self.kept:,} | {PAPERS_KEPT:,} |"
        for objective, count in sorted(self.examples.items()):
            yield f"| … for {objective} | {count:,} | |"
        yield f"\n{self.prompts:,} prompts were asked. The answers that are kept solve {len(self.problems):,} problems."
        if self.left_out:
            yield "\nAnswers that are not kept:\n"
            yield from (f"- {reason}: {count:,}" for reason, count in self.left_out.most_common())

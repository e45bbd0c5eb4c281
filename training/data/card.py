"""The card of a data set: what is in it and what is not, with the paper's counts beside ours."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from afterburner.training.data.settings import Recipe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.training.data.examples import Example

# Section 4; the paper says 13.3 thousand triples for each objective as well, which are not 90,864 together.
PAPERS_EXAMPLES = {Recipe.SFT: 58_833, Recipe.DPO: 90_864, Recipe.GRPO: 984}
PAPERS_PROBLEMS = 984
_MOST_LISTED = 20


@dataclass(slots=True)
class Card:
    """Counts while a data set is built."""

    recipe: Recipe
    source: str = "problems"  # what the examples are made of
    examples: Counter[str] = field(default_factory=Counter)  # by objective
    difficulties: Counter[str] = field(default_factory=Counter)
    problems: int = 0  # or whatever else the source is, with an example
    duplicates: int = 0
    left_out: list[str] = field(default_factory=list)
    caution: str = ""  # a sentence about problems that are missing in the source
    gaps: list[float] = field(default_factory=list)
    characters: list[int] = field(default_factory=list)  # of prompt and answers

    def add(self, example: Example) -> None:
        """Count an example."""
        self.examples[example["objective"]] += 1
        self.difficulties[example["difficulty"] or "not said"] += 1
        if "gap" in example:
            self.gaps.append(example["gap"])
        parts = ("prompt", "completion", "chosen", "rejected")
        self.characters.append(sum(len(each["content"]) for part in parts for each in example.get(part, ())))

    def to_document(self) -> dict[str, Any]:
        """All of it as JSON holds it."""
        return {
            "recipe": self.recipe.value,
            "examples": sum(self.examples.values()),
            "examples_by_objective": dict(sorted(self.examples.items())),
            "examples_by_difficulty": dict(sorted(self.difficulties.items())),
            self.source: self.problems,
            "duplicates": self.duplicates,
            "median_gap": median(self.gaps) if self.gaps else None,
            "median_characters": median(self.characters) if self.characters else None,
            "left_out": self.left_out,
            "caution": self.caution,
            "paper": {"examples": PAPERS_EXAMPLES.get(self.recipe), "problems": PAPERS_PROBLEMS},
        }

    def to_markdown(self) -> str:
        """The card as a page."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        known, papers = self.to_document(), PAPERS_EXAMPLES.get(self.recipe)
        yield f"# Data set: {self.recipe.value}\n"
        yield "| | ours | the paper's |\n| --- | ---: | ---: |"
        yield f"| examples | {known['examples']:,} | {f'{papers:,}' if papers else 'not reported'} |"
        for objective, count in known["examples_by_objective"].items():
            yield f"| … for {objective} | {count:,} | |"
        yield f"| {self.source} | {self.problems:,} | {PAPERS_PROBLEMS:,} problems |"
        if self.gaps:
            yield f"| median gap between worse and better | {known['median_gap']:.2f}x | no minimum |"
        yield f"\nDifficulties: {', '.join(f'{name} {count:,}' for name, count in sorted(self.difficulties.items()))}."
        yield f"{self.duplicates:,} duplicates were dropped. {len(self.left_out):,} {self.source} were left out."
        if self.caution:
            yield f"\nCaution: {self.caution}"
        if self.left_out:
            yield ""
            yield from (f"- {each}" for each in self.left_out[:_MOST_LISTED])
            if len(self.left_out) > _MOST_LISTED:
                yield f"- and {len(self.left_out) - _MOST_LISTED:,} more; `card.json` has all"

"""A small raw problem whose right answers are known, and the recipe with settings that suit it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from afterburner.evals.datasets.raw import RawProblem
from afterburner.evals.recipe.builder import ProblemBuilder
from afterburner.evals.recipe.settings import RecipeSettings
from afterburner.sandbox.cores import divide_cores

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox

GENERATOR = """
import random
def generate_test_cases(num_cases, seed=42):
    chance = random.Random(seed)
    made = []
    for _ in range(num_cases):
        numbers = [chance.randint(100, 999) for _ in range(chance.randint(2, 30))]
        made.append({"input": " ".join(map(str, numbers)) + chr(10), "output": "what nobody believes"})
    return made
"""

SETTINGS = RecipeSettings(
    cases=4,
    private_cases=2,
    least_solutions=3,
    repeats=1,
    private_repeats=0,
    case_seconds=5.0,
    generator_seconds=3.0,
)


@dataclass(frozen=True)
class Sums:
    """The sum of the numbers in a line: solutions, stored cases, and what a benchmark is built with."""

    sandbox: Sandbox
    right: tuple[str, ...] = (
        "print(sum(map(int, input().split())))\n",
        "print(sum(sorted(int(each) for each in input().split())))\n",
        "numbers = list(map(int, input().split()))\nprint(sum(numbers), end=' \\n\\n')\n",
    )
    same_as_first: str = "print(sum(map(int,  input().split())))   \n\n\n"
    wrong: str = "print(max(map(int, input().split())))\n"
    rogue: str = "numbers = list(map(int, input().split()))\nprint(sum(numbers) + any(each > 99 for each in numbers))\n"
    stored: tuple[tuple[str, str], ...] = tuple((f"{each} {each + 1}\n", f"{2 * each + 1}\n") for each in range(1, 31))
    settings: RecipeSettings = SETTINGS

    def raw(self, **changes: object) -> RawProblem:
        """The raw problem; `changes` are other fields."""
        fields: dict[str, object] = {
            "id": "17",
            "title": "sum-of-numbers",
            "description": "Print the sum of the numbers in the line.",
            "difficulty": "easy",
            "tags": ("math",),
            "language": "python",
            "starter_code": "",
            "generator": GENERATOR,
            "evaluator": "",
            "runner": "",
            "solutions": self.right,
            "cases": self.stored,
        }
        return RawProblem(**{**fields, **changes})  # type: ignore[arg-type]

    def builder(self, settings: RecipeSettings | None = None) -> ProblemBuilder:
        """What carries out the recipe."""
        return ProblemBuilder(self.sandbox, divide_cores(), settings or self.settings, "sums", measured_on="a machine")


@pytest.fixture
def sums(sandbox: Sandbox) -> Sums:
    """See `Sums`."""
    return Sums(sandbox)

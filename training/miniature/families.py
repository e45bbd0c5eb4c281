"""Generated problems: each asks the questions of three stages, and every mixture of their ways is a solution.

No problem that is trained on has the three stages of a held-out one, in whatever order. Each stage of a solution can be
improved by itself, and each gains another amount.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import combinations, permutations, product

from afterburner.training.errors import TrainingError
from afterburner.training.miniature.stages import LARGEST, NUMBERS, STAGES, WAYS, Stage

STAGES_OF_A_PROBLEM = 3
_READING = "a = list(map(int, input().split()))\nn = len(a)\n"
_FRAME = "Read a line of numbers. Print each answer on a line of its own, in this order."
_GENERATOR = """\
import random

def generate_test_cases(num_cases, seed=42):
    chance = random.Random(f"{{seed}} {name}")
    made = [[chance.randrange(1, {largest} + 1) for _ in range({numbers})] for _ in range(num_cases)]
    return [{{"input": " ".join(map(str, numbers)) + "\\n"}} for numbers in made]
"""

Ways = tuple[str, ...]  # one of `WAYS` for each stage of a problem


@dataclass(frozen=True, slots=True)
class MadeProblem:
    """A problem that asks the questions of some stages, in their order."""

    stages: tuple[Stage, ...]

    @property
    def name(self) -> str:
        """Its name and id: `distinct-pairs-gap`."""
        return "-".join(stage.name for stage in self.stages)

    @property
    def description(self) -> str:
        """The text that a model is given."""
        return "\n".join((_FRAME, *(stage.sentence for stage in self.stages)))

    @property
    def generator(self) -> str:
        """Source that makes its inputs, as `eval build` runs it."""
        return _GENERATOR.format(name=self.name, largest=LARGEST, numbers=NUMBERS)

    @property
    def ways(self) -> list[Ways]:
        """Every mixture of ways, 27 for three stages."""
        return list(product(WAYS, repeat=len(self.stages)))

    def solution(self, ways: Ways) -> str:
        """The program that answers each question in its way."""
        return _READING + "".join(stage.code(way) for stage, way in zip(self.stages, ways, strict=True))


def ways_of(problem: MadeProblem, code: str) -> Ways:
    """The ways in which a code answers the questions of a problem, in their order.

    The whole text of a way has to stand in the code. A question that is answered in other words has no way.
    """
    lines = code.rstrip().split("\n")
    ways = product(problem.stages, WAYS)
    return tuple(way for stage, way in ways if _contains(lines, stage.code(way).rstrip().split("\n")))


def _contains(lines: list[str], wanted: list[str]) -> bool:
    """Whether the lines stand next to each other, in this order."""
    return any(lines[at : at + len(wanted)] == wanted for at in range(len(lines) - len(wanted) + 1))


@dataclass(frozen=True, slots=True)
class Split:
    """What is trained on and what is held out.

    Attributes:
        train: problems that SFT, DPO, cold start and GRPO train on.
        test: those of the evaluation.
        pretraining: those that the base model has seen, in every order of their stages: any but those held out.
    """

    train: tuple[MadeProblem, ...]
    test: tuple[MadeProblem, ...]
    pretraining: tuple[MadeProblem, ...]


def split_problems(train: int = 48, test: int = 12, seed: int = 0) -> Split:
    """Draw the problems: the same ones for the same seed.

    Args:
        train: how many are trained on.
        test: how many are held out.
        seed: of the choice.

    Raises:
        TrainingError: there are too few combinations, or some stage of a held-out problem has a position that it has in
            no training problem.
    """
    chance = random.Random(seed)  # noqa: S311 - no secret
    known = list(combinations(STAGES, STAGES_OF_A_PROBLEM))
    if min(train, test) < 1 or train + test > len(known):
        raise TrainingError(
            f"Cannot draw {train} training and {test} held-out problems from {len(known)} combinations of stages. Ask "
            "for at least one of each, and for no more than that in total."
        )
    chance.shuffle(known)
    drawn = [MadeProblem(tuple(chance.sample(stages, len(stages)))) for stages in known[: test + train]]
    held_out, trained = drawn[:test], drawn[test:]
    if missing := _places(held_out) - _places(trained):
        place, name = min(missing)
        raise TrainingError(
            f"No training problem has {name} as stage {place + 1}, but a held-out problem does. Use more training "
            "problems, or another seed."
        )
    seen = tuple(MadeProblem(order) for stages in known[test:] for order in permutations(stages))
    return Split(tuple(trained), tuple(held_out), seen)


def _places(problems: list[MadeProblem]) -> set[tuple[int, str]]:
    return {(place, stage.name) for problem in problems for place, stage in enumerate(problem.stages)}

"""What tests of metrics share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from afterburner.agent.types import Objective
from afterburner.evals.evaluation import EvaluatedProblem, Evaluation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # One iteration: for each generation its runs, None for one that fails.
    Generations = Sequence[Sequence[float] | None]
    MakeProblem = Callable[..., EvaluatedProblem]
    MakeEvaluation = Callable[..., Evaluation]


def _problem(
    name: str, references: Sequence[float], *iterations: Generations, difficulty: str = "easy"
) -> EvaluatedProblem:
    generations = len(iterations[0])
    runs = max((len(each) for iteration in iterations for each in iteration if each is not None), default=1)
    figures = np.full((generations, len(iterations), runs), math.nan)
    passed = np.zeros((generations, len(iterations)), dtype=np.bool_)
    for at, iteration in enumerate(iterations):
        for generation, measured in enumerate(iteration):
            if measured is not None:
                passed[generation, at] = True
                figures[generation, at, : len(measured)] = measured
    known = np.sort(np.array(references, dtype=np.float64))
    return EvaluatedProblem(
        name, difficulty, dict.fromkeys(Objective, known), passed, dict.fromkeys(Objective, figures)
    )


@pytest.fixture(scope="session")
def problem() -> MakeProblem:
    """Makes a problem from its references and, for each iteration, the runs of each generation (None: it fails)."""
    return _problem


@pytest.fixture(scope="session")
def evaluation() -> MakeEvaluation:
    """Makes an evaluation of problems."""

    def make(*problems: EvaluatedProblem, name: str = "a run") -> Evaluation:
        return Evaluation(name, {}, {}, tuple(problems))

    return make

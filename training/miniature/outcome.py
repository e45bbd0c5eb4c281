"""What the loops of a miniature came to: scores by seed, problem and iteration, for each model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.evaluation import load_evaluation
from afterburner.evals.report.measures import MEASURES
from afterburner.evals.report.run_scores import raw_scores
from afterburner.evals.tables import read_rows
from afterburner.training.errors import TrainingError
from afterburner.training.miniature.families import ways_of
from afterburner.training.miniature.stages import FAST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from afterburner.evals.report.measures import Measure
    from afterburner.training.miniature.families import MadeProblem


@dataclass(frozen=True, slots=True)
class Loops:
    """One model's loops. S seeds, P problems, iterations 0 to I.

    Attributes:
        scores: for each measure, float, S x P x (I + 1), from 0 to 1.
        fast: float, S x P x (I + 1): the share of stages that the best code answers in the fast way, by its text; 0 for
            a code that fails.
        answers: how many there were.
        prompt_tokens: that the model read, over all answers.
        answer_tokens: that it wrote.
    """

    scores: Mapping[Measure, NDArray[np.float64]]
    fast: NDArray[np.float64]
    answers: int
    prompt_tokens: int
    answer_tokens: int


def read_loops(folders: Sequence[Path], problems: Sequence[MadeProblem]) -> Loops:
    """Read the evaluations of one model, a folder for each seed.

    Raises:
        TrainingError: a problem has no score.
        EvaluationError: an evaluation cannot be read.
    """
    scores: dict[Measure, list[NDArray[np.float64]]] = {each: [] for each in MEASURES}
    fast, used = [], []
    for folder in folders:
        evaluation = load_evaluation(folder)
        for measure in MEASURES:
            found = [raw_scores(evaluation, measure, at) for at in range(evaluation.iterations + 1)]
            places = {name: place for place, name in enumerate(found[0].ids)}
            if missing := [each.name for each in problems if each.name not in places]:
                raise TrainingError(
                    f"{missing[0]} has no {measure.value} in {folder}. Remove the folder and run again."
                )
            order = [places[each.name] for each in problems]
            scores[measure].append(np.stack([each.by_problem[order] for each in found], axis=1))
        fast.append(_fast_shares(folder, problems, evaluation.iterations))
        used += read_rows(folder, "candidates")
    prompt, answer = (sum(row[f"{kind}_tokens"] or 0 for row in used) for kind in ("prompt", "completion"))
    return Loops({each: np.stack(found) for each, found in scores.items()}, np.stack(fast), len(used), prompt, answer)


def _fast_shares(folder: Path, problems: Sequence[MadeProblem], iterations: int) -> NDArray[np.float64]:
    """Float, P x (I + 1)."""
    places = {each.name: place for place, each in enumerate(problems)}
    codes = {(row["problem_id"], row["code_id"]): row["code"] for row in read_rows(folder, "codes")}
    shares = np.zeros((len(problems), iterations + 1))
    for row in read_rows(folder, "best"):
        if row["passed"]:
            place = places[row["problem_id"]]
            ways = ways_of(problems[place], codes[row["problem_id"], row["code_id"]])
            shares[place, row["iteration"]] = ways.count(FAST) / len(problems[place].stages)
    return shares

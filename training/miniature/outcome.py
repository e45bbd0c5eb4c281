"""What the loops of a miniature came to: scores by seed, problem and iteration, for each model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.evaluation import load_evaluation
from afterburner.evals.report.measures import BEYOND_I, MEASURES
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
class LoopScores:
    """One model's loops. S seeds, P problems, iterations 0 to I.

    Attributes:
        scores: for each measure, float, S x P x (I + 1), from 0 to 1.
        fast: float, S x P x (I + 1): the share of stages that the best code answers in the fast way, by its text; 0 for
            a code that fails.
        answers: how many there were.
        prompt_tokens: that the model read, over all answers.
        answer_tokens: that it wrote.
        drifts: float, S x P: the anchors' integral now, divided by the stored one; NaN where no anchor passes.
        flagged: evaluations of a problem, over all seeds, whose anchors drifted by more than the limit in two series.
        machine: that the evaluations ran on.
    """

    scores: Mapping[Measure, NDArray[np.float64]]
    fast: NDArray[np.float64]
    answers: int
    prompt_tokens: int
    answer_tokens: int
    drifts: NDArray[np.float64]
    flagged: int
    machine: str


def read_loops(folders: Sequence[Path], problems: Sequence[MadeProblem]) -> LoopScores:
    """Read the evaluations of one model, a folder for each seed.

    Raises:
        TrainingError: a problem has no score; see `check_scored`.
        EvaluationError: an evaluation cannot be read.
    """
    scores: dict[Measure, list[NDArray[np.float64]]] = {each: [] for each in MEASURES}
    fast, drifts, used, flagged, machine = [], [], [], 0, ""
    for folder in folders:
        evaluation = load_evaluation(folder)
        machine = "{cpu_model} ({cpus} CPUs), {system}, {backend} ({tier})".format(**evaluation.machine)
        for measure in MEASURES:
            found = [raw_scores(evaluation, measure, at) for at in range(evaluation.iterations + 1)]
            order = _order(found[0].ids, problems, folder)
            scores[measure].append(np.stack([each.by_problem[order] for each in found], axis=1))
        fast.append(_fast_shares(folder, problems, evaluation.iterations))
        by_name = {each.id: each.facts for each in evaluation.problems}
        drifts.append([by_name[each.name]["drift_integral"] for each in problems])
        flagged += sum(bool(each["flags"]) for each in by_name.values())
        used += read_rows(folder, "candidates")
    prompt, answer = (sum(row[f"{kind}_tokens"] or 0 for row in used) for kind in ("prompt", "completion"))
    return LoopScores(
        scores={each: np.stack(found) for each, found in scores.items()},
        fast=np.stack(fast),
        answers=len(used),
        prompt_tokens=prompt,
        answer_tokens=answer,
        drifts=np.array(drifts),
        flagged=flagged,
        machine=machine,
    )


def check_scored(folder: Path, problems: Sequence[MadeProblem]) -> None:
    """Make sure that an evaluation has a score for every problem.

    Raises:
        TrainingError: a problem has none.
    """
    _order(raw_scores(load_evaluation(folder), BEYOND_I, 0).ids, problems, folder)


def _order(ids: Sequence[str], problems: Sequence[MadeProblem], folder: Path) -> list[int]:
    """The places of the problems among those that are scored."""
    places = {name: place for place, name in enumerate(ids)}
    if missing := [each.name for each in problems if each.name not in places]:
        raise TrainingError(
            f"The problem {missing[0]} has no score in {folder}: the folder's report says why. Remove the folder and "
            f"{folder.name}.done beside it, and run the command again."
        )
    return [places[each.name] for each in problems]


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

"""Stored tables become arrays: each figure at its place, each reference scaled by the drift of its side and figure."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from afterburner.agent.types import Objective
from afterburner.evals.evaluation import PRIVATE, PUBLIC, load_evaluation
from afterburner.evals.tables import file_key, read_rows, write_rows

if TYPE_CHECKING:
    from pathlib import Path

DRIFTS = {
    "drift": 2.0,
    "drift_memory": 3.0,
    "drift_integral": 5.0,
    "private_drift": 7.0,
    "private_drift_memory": 11.0,
    "private_drift_integral": math.nan,
}
SIDES = {PUBLIC: 1.0, PRIVATE: 100.0}  # what the figures of a side are multiplied by
OBJECTIVES = {Objective.TIME: 1.0, Objective.MEMORY: 10.0, Objective.INTEGRAL: 1000.0}  # likewise of a figure


def figures(number: float, tests: str) -> dict[str, float]:
    """Figures that say by themselves which number, side and objective they are of."""
    names = ("wall_time_s", "peak_memory_kib", "memory_integral_kib_s")
    told = {name: number * SIDES[tests] * OBJECTIVES[each] for name, each in zip(names, OBJECTIVES, strict=True)}
    return {**told, "cpu_time_s": -1.0}


def figure(number: float, tests: str, objective: Objective) -> float:
    return number * SIDES[tests] * OBJECTIVES[objective]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two generations to iteration 1: codes a, then b; and c, which fails the second private run, then b."""
    about = {"format": 1, "name": "run", "settings": {}, "machine": {}, "session": "one"}
    (tmp_path / "run.json").write_text(json.dumps(about), "utf-8")

    def write(table: str, *rows: dict[str, Any]) -> None:
        write_rows(tmp_path, table, file_key("p"), [{"problem_id": "p", **row} for row in rows])

    write("problems", {"reason": "", "difficulty": "easy", "public_cases": 3, "private_cases": 2, **DRIFTS})
    write(
        "references",
        *(
            {"code_id": f"r{n}", "tests": tests, "is_anchor": True, **figures(n, tests)}
            for n in (3, 1)
            for tests in SIDES
        ),
        {"code_id": "unknown", "tests": PUBLIC, "is_anchor": False, **dict.fromkeys(figures(1, PUBLIC), math.nan)},
    )
    codes = (("a", "b"), ("c", "b"))
    write(
        "best",
        *(
            {"generation": generation, "iteration": iteration, "code_id": code, "passed": True}
            for generation, each in enumerate(codes)
            for iteration, code in enumerate(each)
        ),
    )
    runs = [(code, tests, repeat) for repeat in (1, 0) for code in "abc" for tests in SIDES]
    fails = ("c", PRIVATE, 1)
    write(
        "measurements",
        *(
            {
                "code_id": code,
                "tests": tests,
                "repeat": repeat,
                **({"verdict": "time_limit"} if (code, tests, repeat) == fails else {"verdict": "accepted"}),
                **({} if (code, tests, repeat) == fails else figures(10 * "abc".index(code) + repeat + 1, tests)),
            }
            for code, tests, repeat in runs
        ),
    )
    return tmp_path


@pytest.mark.parametrize("tests", [PUBLIC, PRIVATE])
@pytest.mark.parametrize("objective", list(Objective))
def test_figures_are_of_their_side_objective_code_and_repeat(folder: Path, tests: str, objective: Objective) -> None:
    (problem,) = load_evaluation(folder, tests).problems
    c_passes = tests == PUBLIC  # one failed repeat on this side is enough, and none on the other one counts
    assert problem.passed.tolist() == [[True, True], [c_passes, True]]
    numbers = [[[1.0, 2.0], [11.0, 12.0]], [[21.0, 22.0] if c_passes else [math.nan] * 2, [11.0, 12.0]]]
    expected = np.array(numbers) * figure(1, tests, objective)
    np.testing.assert_allclose(problem.figures[objective], expected)


@pytest.mark.parametrize(
    ("tests", "objective", "drift"),
    [
        (PUBLIC, Objective.TIME, 2.0),
        (PUBLIC, Objective.MEMORY, 3.0),
        (PUBLIC, Objective.INTEGRAL, 5.0),
        (PRIVATE, Objective.TIME, 7.0),
        (PRIVATE, Objective.MEMORY, 11.0),
        (PRIVATE, Objective.INTEGRAL, 1.0),  # not known, so they are as they were stored
    ],
)
def test_references_are_scaled_by_the_drift_of_their_side_and_objective(
    folder: Path, tests: str, objective: Objective, drift: float
) -> None:
    (problem,) = load_evaluation(folder, tests).problems
    expected = [figure(number, tests, objective) * drift for number in (1, 3)]  # sorted, and what is not known left out
    assert problem.references[objective].tolist() == pytest.approx(expected)


@pytest.mark.parametrize("objective", list(Objective))
def test_code_that_is_the_text_of_a_reference_ties_with_it(folder: Path, objective: Objective) -> None:
    """Generation 0 comes to a reference's own text, whose repeats are slower and faster than the reference's figure."""
    rows = read_rows(folder, "references")
    rows.append({**rows[0], "code_id": "b", "tests": PUBLIC, **figures(11.5, PUBLIC)})
    write_rows(folder, "references", file_key("p"), rows)
    (problem,) = load_evaluation(folder).problems
    drift = {Objective.TIME: 2.0, Objective.MEMORY: 3.0, Objective.INTEGRAL: 5.0}[objective]
    known = figure(11.5, PUBLIC, objective) * drift
    np.testing.assert_allclose(problem.as_known[objective], [[math.nan, known], [math.nan, known]])
    assert problem.references[objective][-1] == problem.as_known[objective][0, 1], "a tie is exact"

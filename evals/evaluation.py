"""A finished evaluation as the metrics and reports take it: arrays of what was measured, problem by problem."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from afterburner.agent.types import Objective
from afterburner.evals.enamel_levels import ENAMEL, ran_out
from afterburner.evals.errors import EvaluationError
from afterburner.evals.tables import REJECTED, read_about, read_rows

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from afterburner.evals.tables import Row

PUBLIC, PRIVATE = "public", "private"
COLUMN = {
    Objective.TIME: "wall_time_s",
    Objective.MEMORY: "peak_memory_kib",
    Objective.INTEGRAL: "memory_integral_kib_s",
}
_DRIFT = {Objective.TIME: "drift", Objective.MEMORY: "drift_memory", Objective.INTEGRAL: "drift_integral"}
ACCEPTED = "accepted"


@dataclass(frozen=True, slots=True)
class EvaluatedProblem:
    """What was measured of one problem. G generations, iterations 0 to I, R repeats.

    Attributes:
        id: as the dataset calls it.
        difficulty: as the dataset says; empty: it does not.
        references: for each objective the figures of the known solutions, sorted, in units of this machine: the stored
            ones times the anchors' drift. Empty: nobody measured any.
        passed: bool, G x (I + 1): whether C* passes these tests; on ENAMEL as its own evaluation has it.
        figures: for each objective, float, G x (I + 1) x R: what C* measured. NaN: it does not pass; infinity: it
            passes by the rule of ENAMEL although it ran out of time or memory.
        facts: the row of the table `problems`.
        as_known: for each objective, float, G x (I + 1): the reference's figure where C* is the text of a reference,
            from `references`; NaN: it is new code. Such code ties with that reference, however it was timed.
        remeasured: for each objective the medians of the known solutions that were measured in this run, by code.
    """

    id: str
    difficulty: str
    references: Mapping[Objective, NDArray[np.float64]]
    passed: NDArray[np.bool_]
    figures: Mapping[Objective, NDArray[np.float64]]
    facts: Mapping[str, Any] = field(default_factory=dict)
    as_known: Mapping[Objective, NDArray[np.float64]] = field(default_factory=dict)
    remeasured: Mapping[Objective, Mapping[str, float]] = field(default_factory=dict)
    drift: float = 1.0  # how many times as long as stored the anchors took; 1 where nothing tells
    tests: str = "public"  # on which ones all this was measured: `public` or `private`


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One run of `eval run`, on its public or its private tests, or each problem on what it has: `merged`."""

    name: str
    settings: Mapping[str, Any]  # as `run.json` has them
    machine: Mapping[str, Any]
    problems: tuple[EvaluatedProblem, ...]
    not_evaluated: tuple[tuple[str, str], ...] = ()  # ids, and why
    gains: tuple[Mapping[str, Any], ...] = ()  # of functions of packages: rows of the table `gains`
    folder: Path | None = None
    rejected: tuple[str, ...] = ()  # records of the dataset that cannot be used: where, and why
    about: Mapping[str, Any] = field(default_factory=dict)  # all of `run.json`

    @property
    def iterations(self) -> int:
        """N: the curves have N + 1 points."""
        return self.problems[0].passed.shape[1] - 1 if self.problems else 0

    @property
    def tests(self) -> Mapping[str, str]:
        """The tests that each problem is scored on, `public` or `private`, by its id."""
        return {each.id: each.tests for each in self.problems}


def merged(public: Evaluation, private: Evaluation) -> Evaluation:
    """The same run with each problem on its private tests, and on its public ones if it has no others."""
    known = {each.id: each for each in private.problems}
    return replace(public, problems=tuple(known.get(each.id, each) for each in public.problems))


def load_evaluation(folder: Path, tests: str = PUBLIC) -> Evaluation:
    """Read what an evaluation has stored so far.

    Args:
        folder: of the run.
        tests: `public` or `private`. Without private tests of a problem, it is left out of the private side.

    Raises:
        EvaluationError: there is no evaluation, a file of it is missing or damaged, or no problem of it is done.
    """
    about = read_about(folder)
    rows = {table: _by_problem(read_rows(folder, table)) for table in ("references", "best", "measurements")}
    done, left_out = [], []
    for facts in read_rows(folder, "problems"):
        name = facts["problem_id"]
        if facts["reason"]:
            left_out.append((name, facts["reason"]))
        elif facts["public_cases"] and (tests == PUBLIC or facts["private_cases"]):
            done.append(_problem(facts, {table: found.get(name, []) for table, found in rows.items()}, tests))
    gains = tuple(read_rows(folder, "gains"))
    if not done and not left_out and not gains:
        raise EvaluationError(f"No problem of {folder} is done yet. Go on with: afterburner-agent eval resume {folder}")
    told = about["name"], about["settings"], about["machine"]
    return Evaluation(*told, tuple(done), tuple(left_out), gains, folder, _rejected(folder), about)


def _rejected(folder: Path) -> tuple[str, ...]:
    try:
        return tuple(map(str, json.loads((folder / REJECTED).read_text("utf-8"))))
    except FileNotFoundError:  # the evaluation has not come to its end yet
        return ()
    except (OSError, ValueError) as error:
        raise EvaluationError(
            f"{folder / REJECTED} cannot be read: {error}. Write it anew with eval resume."
        ) from error


def _by_problem(rows: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["problem_id"]].append(row)
    return found


def _problem(facts: Row, rows: Mapping[str, list[Row]], tests: str) -> EvaluatedProblem:
    measured: dict[str, list[Row]] = defaultdict(list)
    for row in rows["measurements"]:
        if row["tests"] == tests:
            measured[row["code_id"]].append(row)
    best = rows["best"]
    if not best:
        raise EvaluationError(
            f"The table best has nothing of {facts['problem_id']}, as if its file were lost. Go on with eval resume."
        )
    generations = 1 + max((row["generation"] for row in best), default=0)
    iterations = 1 + max((row["iteration"] for row in best), default=0)
    repeats = max((len(each) for each in measured.values()), default=1)
    passed = np.zeros((generations, iterations), dtype=np.bool_)
    figures = {each: np.full((generations, iterations, repeats), math.nan) for each in Objective}
    for row in best:
        taken = sorted(measured.get(row["code_id"], []), key=lambda each: each["repeat"])
        at = row["generation"], row["iteration"]
        passed[at] = bool(taken) and all(_passes(each, facts, tests) for each in taken)
        ran_through = all(each["verdict"] == ACCEPTED for each in taken)
        if passed[at] and not ran_through:
            for objective in COLUMN:
                figures[objective][at] = math.inf
        elif passed[at]:
            for objective, column in COLUMN.items():
                values = [each[column] for each in taken]
                figures[objective][at][: len(values)] = values
    prefix = "" if tests == PUBLIC else "private_"
    known = [row for row in rows["references"] if row["tests"] == tests]
    scaled = {each: _scaled(known, each, facts[prefix + _DRIFT[each]]) for each in Objective}
    references = {each: np.sort([figure for _, figure in scaled[each]]) for each in Objective}
    as_known = {each: _as_known(best, scaled[each], passed.shape) for each in Objective}
    again = {row["code_id"]: found for row in known if (found := measured.get(row["code_id"]))}
    remeasured = {each: _medians(again, each) for each in Objective}
    told = facts["problem_id"], facts["difficulty"]
    drift = facts[prefix + _DRIFT[Objective.TIME]]
    drift = drift if math.isfinite(drift) else 1.0
    return EvaluatedProblem(*told, references, passed, figures, facts, as_known, remeasured, drift, tests)


def _passes(row: Row, facts: Row, tests: str) -> bool:
    """Whether a repeat counts as passing."""
    if row["verdict"] == ACCEPTED:
        return True
    names = facts["case_names" if tests == PUBLIC else "private_case_names"]
    return facts["dataset"] == ENAMEL and ran_out(row["verdict"], row["detail"], names or ())


def _scaled(rows: list[Row], objective: Objective, drift: float) -> list[tuple[str, float]]:
    """The ids of the known solutions with their figures in units of this machine; those without one are left out."""
    factor = drift if math.isfinite(drift) else 1.0
    figures = ((row["code_id"], row[COLUMN[objective]]) for row in rows)
    return [(code, figure * factor) for code, figure in figures if figure is not None and math.isfinite(figure)]


def _medians(measured: Mapping[str, list[Row]], objective: Objective) -> dict[str, float]:
    """The median of each code that passed every time it was run."""
    return {
        code: median(row[COLUMN[objective]] for row in rows)
        for code, rows in measured.items()
        if all(row["verdict"] == ACCEPTED and row[COLUMN[objective]] is not None for row in rows)
    }


def _as_known(best: list[Row], references: list[tuple[str, float]], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """See `EvaluatedProblem`; of a text that several references share, the smallest figure."""
    smallest = dict(sorted(references, key=lambda each: -each[1]))
    found = np.full(shape, math.nan)
    for row in best:
        if row["code_id"]:
            found[row["generation"], row["iteration"]] = smallest.get(row["code_id"], math.nan)
    return found

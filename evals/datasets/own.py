"""A dataset of one's own: one JSON object a line, with the fields of a `Problem` and a few beside."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from afterburner.agent import Problem
from afterburner.evals.datasets.venus import measured_solution
from afterburner.evals.problems import BenchmarkProblem, Reference
from afterburner.sandbox import TestCase, UsageError

if TYPE_CHECKING:
    from afterburner.evals.datasets.reading import ReadingContext
    from afterburner.evals.datasets.records import Record

_TIME_LIMITS = ("wall_time_s", "cpu_time_s")
_BESIDE = {"id", "difficulty", "tags", "references", "generator", "private_cases"}


def read_own(record: Record, context: ReadingContext) -> BenchmarkProblem:
    """Read a problem of one's own.

    The fields are those of `Problem.from_json`; `name`, `description` and `cases` have to be there. Beside them, there
    may be `id` (by default the name), `difficulty`, `tags`, `generator`, `private_cases` (like `cases`; scores are on
    them, and the loop never runs them) and `references`: codes, or objects with `code` and, if measured, `time` in ms
    and `memory` in KiB.

    Raises:
        RecordError: a field is not what it has to be.
    """
    fields = {name: value for name, value in record.values.items() if name not in _BESIDE}
    if context.case_seconds is not None:
        fields["limits"] = _with_seconds(record, context.case_seconds)
    problem = _problem(record, fields, "cases")
    private = None
    if record.has("private_cases"):
        private = _problem(record, {**fields, "cases": record.items("private_cases")}, "private_cases")
    return BenchmarkProblem(
        dataset=context.dataset,
        id=record.identity("id") if record.has("id") else problem.name,
        problem=problem,
        private=private,
        references=tuple(_references(record)),
        difficulty=record.text("difficulty", ""),
        tags=record.texts("tags", []),
        generator=record.text("generator", ""),
    )


def _with_seconds(record: Record, seconds: float) -> object:
    """The limits that the record states; its time limits, where it states none, are these seconds."""
    stated = record.values.get("limits") or {}
    if not isinstance(stated, Mapping) or any(stated.get(name) is not None for name in _TIME_LIMITS):
        return stated
    return {**stated, **dict.fromkeys(_TIME_LIMITS, seconds)}


def _problem(record: Record, fields: dict[str, Any], cases: str) -> Problem:
    """The problem of these fields, of which one is called `cases` in the record."""
    try:
        problem = Problem.from_json(json.dumps(fields, allow_nan=False))
    except (UsageError, ValueError, TypeError, RecursionError) as error:  # Parquet has values that JSON lacks
        raise record.error("problem", str(error)) from error
    for number, case in enumerate(problem.cases, start=1):
        if isinstance(case, TestCase) and case.expected_stdout is None:
            raise record.error(cases, f"case {number} has no expected_stdout, so that any output would be right")
    return problem


def _references(record: Record) -> list[Reference]:
    found = record.items("references", [])
    if all(isinstance(each, str) for each in found):
        return [Reference(code) for code in record.texts("references", [])]
    return [measured_solution(each) for each in record.parts("references")]

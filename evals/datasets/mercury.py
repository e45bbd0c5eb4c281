"""Mercury: LeetCode's problems with solutions of people, and converters and evaluators of their own."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent import Problem
from afterburner.evals.graders.calls import mercury_checker, mercury_runner
from afterburner.evals.inside.values import encode
from afterburner.evals.problems import BenchmarkProblem, Figures, Reference
from afterburner.sandbox import Limits, TestCase

if TYPE_CHECKING:
    from afterburner.evals.datasets.reading import ReadingContext
    from afterburner.evals.datasets.records import Record

LIMITS = Limits(wall_time_s=10.0, cpu_time_s=10.0, output_bytes=64 * 1024 * 1024)  # 10 s for all cases, as in its own
MEASURED_ON = "LeetCode"
_WORKS_IN_PLACE = re.compile(r"-> None|in[- ]place", re.IGNORECASE)
_RUNTIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*ms\s*")


def read_mercury(record: Record, context: ReadingContext) -> BenchmarkProblem:
    """Read a record of Elfsong/Mercury.

    As in Mercury's own grader, one process and one instance of the solution's class makes the calls of all test cases,
    so that the problem has a single case. By our strict rule, each has a process and an instance of its own, and the
    evaluator sees the inputs as they were before the call, unless the problem is to change them.

    Raises:
        RecordError: a field is not what it has to be.
    """
    convert, evaluate = record.filled("convert_offline"), record.filled("evaluate_offline")
    entry = record.filled("entry_point")
    if not entry.isidentifier():
        raise record.error("entry_point", f"this has to be the name of a method, and it is {entry[:60]!r}")
    tests = [(test.items("input"), _expected(test)) for test in record.json_parts("test_cases")]
    if not tests:
        raise record.error("test_cases", "there are none")
    problem = Problem(
        name=record.filled("slug_name"),
        description=_description(record),
        starter_code=record.text("prompt", ""),
        cases=(_case(tests, f"all {len(tests)} test cases"),),
        runner=mercury_runner(convert, entry),
        checker=mercury_checker(convert, evaluate, only_true=False, inputs_after=True),
        limits=LIMITS,
    )
    strict = replace(
        problem,
        cases=tuple(_case([test], f"test {number}") for number, test in enumerate(tests)),
        checker=mercury_checker(convert, evaluate, only_true=True, inputs_after=_works_in_place(problem)),
    )
    return BenchmarkProblem(
        dataset=context.dataset or "mercury",
        id=record.filled("slug_name"),
        problem=problem,
        strict=strict,
        references=tuple(_reference(each) for each in record.parts("solutions")),
        difficulty=record.text("difficulty", "").lower(),
        tags=_tags(record),
        measured_on=MEASURED_ON,
    )


def _works_in_place(problem: Problem) -> bool:
    """Whether a solution has to change its inputs, as LeetCode's signature or description says."""
    return bool(_WORKS_IN_PLACE.search(f"{problem.starter_code}\n{problem.description}"))


def _expected(test: Record) -> object:
    if "expected" not in test.values:
        raise test.error("expected", "it is missing")
    return test.values["expected"]


def _case(tests: list[tuple[list[object], object]], name: str) -> TestCase:
    """Calls with what is expected of them; the inputs alone go to the solution."""
    given, expected = (encode([test[place] for test in tests]) for place in (0, 1))
    return TestCase(f"{given}\n".encode(), f"{expected}\n".encode(), name)


def _description(record: Record) -> str:
    found = record.texts("pretty_content")
    if not found or not found[0].strip():
        raise record.error("pretty_content", "it is empty")
    return found[0].strip()


def _reference(solution: Record) -> Reference:
    """A solution with the run time that LeetCode told, such as `40 ms`."""
    told = solution.text("runtime")
    found = _RUNTIME.fullmatch(told)
    if found is None:
        raise solution.error("runtime", f"this has to be like '40 ms', and it is {told[:40]!r}")
    return Reference(solution.filled("solution"), Figures(float(found[1]) / 1000, math.nan, math.nan, math.nan))


def _tags(record: Record) -> tuple[str, ...]:
    if not record.has("meta_info"):
        return ()
    question = record.part("meta_info").part("data").part("question")
    return tuple(tag.text("name") for tag in question.parts_of("topicTags", question.items("topicTags", [])))

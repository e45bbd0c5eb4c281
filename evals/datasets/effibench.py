"""EffiBench, whose tests are asserts in a script."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from afterburner.agent import JsonCall, Problem
from afterburner.evals.graders import preambles
from afterburner.evals.graders.inside_programs import inside_runner
from afterburner.evals.inside.script import PASSED
from afterburner.evals.problems import BenchmarkProblem, Reference
from afterburner.sandbox import Limits, TestCase, UsageError
from afterburner.sandbox.checkers import Exact

if TYPE_CHECKING:
    from afterburner.evals.datasets.reading import ReadingContext
    from afterburner.evals.datasets.records import Record

_LIMITS = Limits(wall_time_s=5.0, cpu_time_s=5.0)  # as the official script has it
_PASSED = (TestCase(b"", f"{PASSED}\n".encode(), "all asserts"),)
_INSTANCE = "solution"
Call = tuple[str, list[Any], Any]  # a method, its arguments, and what it has to return


def read_effibench(record: Record, context: ReadingContext) -> BenchmarkProblem:
    """Read a record of DONG19/EffiBench, or of the data in its repository.

    A solution passes if the script of the solution, `solution=Solution()` and the asserts ends well. The asserts stand
    in the same process as the solution, as in the official grader; our strict rule keeps what is expected outside.
    Where a record has small tests, those are the ones that the loop may run.

    Raises:
        RecordError: a field is not what it has to be.
    """
    name = record.identity("problem_idx")
    tests, small = record.filled("test_case"), record.text("small_test_cases", "")
    every = Problem(
        name=record.text("task_name", "") or f"effibench-{name}",
        description=record.text("markdown_description", "") or record.filled("description"),
        cases=_PASSED,
        runner=_runner(tests),
        checker=Exact(),
        limits=_LIMITS,
    )
    strict, notes = _strict(tests, every)
    return BenchmarkProblem(
        dataset=context.dataset,
        id=name,
        problem=replace(every, runner=_runner(small)) if small.strip() else every,
        private=every if small.strip() else None,
        strict=strict,
        references=(Reference(record.filled("canonical_solution")),),
        difficulty=record.text("difficulty", "").lower(),
        notes=notes,
    )


def read_asserts(script: str) -> list[Call] | None:
    """The calls that a script of asserts makes, and what they have to return; None: it does anything else.

    The script is parsed, and never run: arguments and values have to be literals.
    """
    try:
        statements = ast.parse(script).body
        calls = [_call(each) for each in statements if not _is_instance_made(each)]
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return calls or None


def _call(statement: ast.stmt) -> Call:
    """The call of `assert solution.method(…) == …`.

    Raises:
        ValueError: the statement is something else.
    """
    match statement:
        case ast.Assert(
            test=ast.Compare(
                left=ast.Call(func=ast.Attribute(value=ast.Name(id=holder), attr=method), args=arguments, keywords=[]),
                ops=[ast.Eq()],
                comparators=[expected],
            )
        ) if holder == _INSTANCE:
            return method, [ast.literal_eval(each) for each in arguments], ast.literal_eval(expected)
    raise ValueError("this is no assert on a call")


def _is_instance_made(statement: ast.stmt) -> bool:
    return ast.unparse(statement) == f"{_INSTANCE} = Solution()"


def _strict(tests: str, problem: Problem) -> tuple[Problem | None, tuple[str, ...]]:
    """Each assert as a call of its own, where they are nothing but that and JSON has the arguments."""
    calls = read_asserts(tests)
    methods = {method for method, _, _ in calls or ()}
    if calls is None or len(methods) != 1:
        return None, ("There is no strict rule for it: its tests are not all asserts on literals for one method.",)
    if any(json.loads(json.dumps(arguments)) != arguments for _, arguments, _ in calls if _is_json(arguments)):
        return None, ("There is no strict rule for it: an argument holds what JSON would change, such as a tuple.",)
    try:
        cases = tuple(JsonCall(arguments, expected) for _, arguments, expected in calls)
        function = f"Solution.{methods.pop()}"
        return replace(problem, cases=cases, runner="", function=function, preamble=preambles.EFFIBENCH), ()
    except UsageError as error:
        return None, (f"There is no strict rule for it: {error}",)


def _is_json(value: object) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _runner(tests: str) -> str:
    return inside_runner("script", "run", preamble=preambles.EFFIBENCH, tests=tests)

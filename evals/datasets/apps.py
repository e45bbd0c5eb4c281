"""APPS: codeparrot/apps, whose tests are for stdin or are calls, and Elfsong/APPS_Python, with measured solutions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from afterburner.agent import JsonCall, Problem
from afterburner.evals.datasets.venus import measured_solution
from afterburner.evals.graders import preambles
from afterburner.evals.graders.calls_in_turn import apps_calls_checker, in_turn_case, in_turn_runner
from afterburner.evals.graders.texts import apps_checker, apps_python_checker, program_runner
from afterburner.evals.problems import BenchmarkProblem, Reference
from afterburner.sandbox import Limits, TestCase, UsageError
from afterburner.sandbox.checkers import Lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.evals.datasets.reading import ReadingContext
    from afterburner.evals.datasets.records import Record

DIFFICULTIES = ("introductory", "interview", "competition")
_SECONDS = 4  # for each test
_START_S = 1.0  # for the interpreter, which the official clock leaves out
_FIELD = "input_output"


@dataclass(frozen=True, slots=True)
class _Tests:
    """What `input_output` holds; `function` is empty where the tests are for stdin."""

    inputs: Sequence[Any]
    outputs: Sequence[Any]
    function: str


def is_wanted(record: Record, context: ReadingContext) -> bool:
    """Whether a record is of the difficulty that was asked for, as the configurations of codeparrot/apps are."""
    return context.configuration in {"", "all", record.values.get("difficulty")}


def read_apps(record: Record, context: ReadingContext) -> BenchmarkProblem:
    """Read a record of codeparrot/apps.

    Raises:
        RecordError: a field is not what it has to be, or there is no test.
    """
    tests = _tests(record)
    name = record.identity("problem_id")
    begun = Problem(
        name=f"apps-{name}",
        description=record.filled("question"),
        starter_code=record.text("starter_code", ""),
        cases=(TestCase(),),
    )
    problem, strict, notes = (_calls if tests.function else _programs)(record, tests, begun)
    return BenchmarkProblem(
        dataset=context.dataset,
        id=name,
        problem=problem,
        strict=strict,
        references=_solutions(record),
        difficulty=record.text("difficulty", ""),
        notes=notes,
    )


def read_apps_python(record: Record, context: ReadingContext) -> BenchmarkProblem:
    """Read a record of Elfsong/APPS_Python: programs, judged by their output but for whitespace at its ends.

    Raises:
        RecordError: a field is not what it has to be, or there is no test.
    """
    name = record.identity("problem_id")
    cases = tuple(
        TestCase(each.text("input").encode(), each.text("output").encode(), str(number))
        for number, each in enumerate(record.json_parts("test_cases"), start=1)
    )
    if not cases:
        raise record.error("test_cases", "there are none")
    problem = Problem(
        name=f"apps-{name}",
        description=record.filled("problem_content"),
        starter_code=record.text("code_prompt", ""),
        cases=cases,
        runner=program_runner(preambles.VENUS),
        checker=apps_python_checker(),
    )
    return BenchmarkProblem(
        dataset=context.dataset,
        id=name,
        problem=problem,
        strict=replace(problem, checker=Lines()),
        references=tuple(measured_solution(each) for each in record.json_parts("solutions") if each.flag("passed")),
        difficulty=record.text("difficulty", ""),
    )


def _tests(record: Record) -> _Tests:
    if not record.text(_FIELD, "").strip():
        raise record.error(_FIELD, "it is empty: the problem has no tests")
    held = replace(record, values={_FIELD: record.json_text(_FIELD)}).part(_FIELD)
    inputs, outputs = held.items("inputs"), held.items("outputs")
    if not inputs:
        raise held.error("inputs", "there are none: the problem has no tests")
    if len(inputs) != len(outputs):
        raise held.error("outputs", f"there are {len(outputs)} for {len(inputs)} inputs")
    function = held.text("fn_name", "")
    if function and not function.isidentifier():
        raise held.error("fn_name", f"this has to be the name of a function, and it is {function[:60]!r}")
    return _Tests(inputs, outputs, function)


def _programs(record: Record, tests: _Tests, begun: Problem) -> tuple[Problem, Problem | None, tuple[str, ...]]:
    cases = tuple(
        TestCase(_lines(record, f"inputs[{place}]", given), _lines(record, f"outputs[{place}]", wanted), str(place + 1))
        for place, (given, wanted) in enumerate(zip(tests.inputs, tests.outputs, strict=True))
    )
    problem = replace(
        begun, cases=cases, runner=program_runner(preambles.APPS), checker=apps_checker(), limits=_limits(1)
    )
    return problem, replace(problem, checker=Lines()), ()


def _lines(record: Record, field: str, found: object) -> bytes:
    """A text, or the list of its lines."""
    lines: list[Any] = found if isinstance(found, list) else [found]
    if not all(isinstance(line, str) for line in lines):
        raise record.error(f"{_FIELD}.{field}", "this has to be a text, or a list of lines")
    return "\n".join(lines).encode("utf-8", "replace")


def _calls(record: Record, tests: _Tests, begun: Problem) -> tuple[Problem, Problem | None, tuple[str, ...]]:
    for place, given in enumerate(tests.inputs):
        if not isinstance(given, list):
            raise record.error(f"{_FIELD}.inputs[{place}]", "this has to be the list of arguments of a call")
    problem = replace(
        begun,
        cases=(in_turn_case([_arguments(each) for each in tests.inputs], [_value(each) for each in tests.outputs]),),
        runner=in_turn_runner(tests.function, preambles.APPS, _SECONDS),
        checker=apps_calls_checker(),
        limits=_limits(len(tests.inputs)),
    )
    try:
        return problem, _strict_calls(tests, begun), ()
    except UsageError as error:
        return problem, None, (f"There is no strict rule for it: {error}",)


def _strict_calls(tests: _Tests, begun: Problem) -> Problem:
    """Each test as a call of its own, whose value has to be equal as JSON.

    Raises:
        UsageError: JSON has no such value, or a problem cannot be made of it.
    """
    if any(_arguments(each) != each for each in tests.inputs):
        raise UsageError("An argument has integers as keys, which JSON has not.")
    # Some rows wrap what is returned in a list of one. A function that returns such lists cannot be told from those.
    wrapped = all(isinstance(each, list) and len(each) == 1 for each in tests.outputs)
    holder = "Solution." if "class Solution" in begun.starter_code else ""
    return replace(
        begun,
        cases=tuple(
            JsonCall(given, wanted[0] if wrapped else wanted)
            for given, wanted in zip(tests.inputs, tests.outputs, strict=True)
        ),
        function=f"{holder}{tests.function}",
        preamble=preambles.APPS,
        limits=_limits(1),
    )


def _arguments(given: list[Any]) -> list[Any]:
    """The arguments of a call; a first one that is an object has integers as keys, if they can be, and stands alone."""
    return [_with_integer_keys(given[0])] if given and _has_integer_keys(given[0]) else given


def _value(wanted: Any) -> Any:
    """What has to be returned; integers as keys as in `_arguments`."""
    if _has_integer_keys(wanted):
        return [_with_integer_keys(wanted)]
    if isinstance(wanted, list) and wanted and _has_integer_keys(wanted[0]):
        return [_with_integer_keys(wanted[0])]
    return wanted


def _has_integer_keys(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    try:
        list(map(int, value))
    except ValueError:
        return False
    return True


def _with_integer_keys(value: dict[str, Any]) -> dict[int, Any]:
    return {int(key): each for key, each in value.items()}


def _solutions(record: Record) -> tuple[Reference, ...]:
    if not record.text("solutions", "").strip():
        return ()
    found = replace(record, values={"solutions": record.json_text("solutions")}).texts("solutions")
    return tuple(Reference(code) for code in dict.fromkeys(found) if code.strip())


def _limits(tests: int) -> Limits:
    return Limits(wall_time_s=_SECONDS * tests + _START_S, cpu_time_s=_SECONDS * tests + _START_S)

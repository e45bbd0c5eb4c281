"""COFFE: functions of HumanEval and MBPP with tests for correctness and inputs that take long."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from afterburner.agent import Problem
from afterburner.evals.datasets.asking import answer_of, rows_of
from afterburner.evals.graders.calls import calling_runner, json_checker, strict_checker
from afterburner.evals.graders.inside_programs import inside_program
from afterburner.evals.inside.values import OPAQUE, Expression, encode
from afterburner.evals.problems import BenchmarkProblem, Reference
from afterburner.sandbox import Limits, TestCase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.evals.datasets.reading import ReadingContext
    from afterburner.evals.datasets.records import Record

LIMITS = Limits(wall_time_s=20.0, cpu_time_s=20.0, memory_kib=4 * 1024 * 1024, output_bytes=64 * 1024 * 1024)
_MAKING_LIMITS = replace(LIMITS, wall_time_s=180.0, cpu_time_s=120.0)
_PREAMBLE = "import sys\nif hasattr(sys, 'set_int_max_str_digits'):\n    sys.set_int_max_str_digits(0)\n"
_HUMANEVAL = "openai_humaneval"


def read_coffe(record: Record, context: ReadingContext) -> BenchmarkProblem:
    """Read a record of COFFE's functions, joined per problem.

    The cases are called `test 3` and `stress 2`. A stress input is a Python expression, evaluated in the sandbox and
    answered by the canonical solution; one that it cannot answer is left out, and a note says so.

    Raises:
        RecordError: a field is not what it has to be, or no test is left.
    """
    entry, prompt = record.filled("entry_point"), record.filled("prompt")
    is_complete = record.text("dataset", "") != _HUMANEVAL  # HumanEval's solutions go on from the prompt
    solution = record.filled("canonical_solution")
    canonical = solution if is_complete else f"{prompt.rstrip()}\n{solution}"
    cases, notes = _cases(record, context, canonical, entry)
    problem = Problem(
        name=record.identity("task_id").replace("/", "-"),
        description=_description(prompt, entry) if is_complete else _completing(entry),
        starter_code="" if is_complete else prompt,
        cases=cases,
        runner=calling_runner(entry, _PREAMBLE if is_complete else f"{_PREAMBLE}{prompt}\n    pass\n"),
        checker=json_checker(),
        limits=LIMITS,
    )
    return BenchmarkProblem(
        dataset=context.dataset or "coffe",
        id=record.identity("task_id"),
        problem=problem,
        strict=replace(problem, checker=strict_checker()),
        references=tuple(map(Reference, dict.fromkeys([canonical, *_best(record, entry)]))),
        notes=notes,
    )


def _description(prompt: str, entry: str) -> str:
    """What MBPP asks for, without the fence of code in which an answer should go on."""
    text = prompt.strip().removesuffix("```python").rstrip()
    return text if entry in text else f"{text}\n\nCall the function {entry}."


def _completing(entry: str) -> str:
    return f"Complete the function {entry} in Python, as its docstring says."


def _best(record: Record, entry: str) -> Iterator[str]:
    """The fastest known solution, whose function COFFE calls `solution`."""
    if best := record.text("best_solution", "").strip():
        yield f"{best}\n\n\n{entry} = solution\n"


def _cases(
    record: Record, context: ReadingContext, canonical: str, entry: str
) -> tuple[tuple[TestCase, ...], tuple[str, ...]]:
    asked = list(_asked(record))
    source = inside_program("coffe", "make_answers", code=canonical, preamble=_PREAMBLE, entry=entry)
    request = [(given, expected) for _, given, expected in asked]
    made = answer_of(context.sandbox(), source, request, "testcases", _MAKING_LIMITS)
    cases, notes = [], []
    for (name, given, _), (answer, wrong) in zip(asked, rows_of(made, len(asked), 2, "testcases"), strict=True):
        usable = answer and OPAQUE not in answer
        if wrong or not usable:
            reason = wrong or "its answer is no plain data"
            notes.append(f"{name}{'' if usable else ' is left out'}: {reason}")
        if usable:
            cases.append(TestCase(f"{given}\n".encode(), f"{answer}\n".encode(), name))
    if not cases:
        raise record.error("testcases", f"no test is left; {notes[0] if notes else 'there are none'}")
    return tuple(cases), tuple(notes)


def _asked(record: Record) -> Iterator[tuple[str, str, list[Any] | None]]:
    """Name, arguments and answer of each test; nobody has told the answer of a stress test."""
    for number, test in enumerate(record.parts("testcases")):
        expected = test.items("output")
        if len(expected) != 1:
            raise test.error("output", f"this has to be one value in a list, and there are {len(expected)}")
        yield f"test {number}", encode(test.items("input")), expected
    for number, test in enumerate(record.parts_of("stress_testcases", record.items("stress_testcases", []))):
        yield f"stress {number}", Expression(test.filled("input"), number).encoded(), None

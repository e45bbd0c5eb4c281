"""ENAMEL: HumanEval's problems with generators of inputs at four levels, and expert solutions as references."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent import Problem
from afterburner.evals.datasets.asking import DATASET_LIMITS, answer_of, rows_of
from afterburner.evals.graders.calls import calling_runner, enamel_checker, strict_checker
from afterburner.evals.graders.inside_programs import inside_program
from afterburner.evals.inside.values import OPAQUE
from afterburner.evals.problems import BenchmarkProblem, Reference
from afterburner.sandbox import Limits, TestCase

if TYPE_CHECKING:
    from afterburner.evals.datasets.reading import ReadingContext
    from afterburner.evals.datasets.records import Record

# What follows is as ENAMEL's own evaluation has it by default.
TESTS_AT_LEVELS = (8, 4, 4, 4)
SEED = 998244353
LEFT_OUT = frozenset(
    {2, 23, 41, 45, 53, 60, 71, 92, 97, 99, 102, 123, 124, 135, 137, 138, 144, 148, 156, 157, 159, 160}
)
MEMORY_KIB = 4 * 1024 * 1024
ALL = "all"  # the configuration that has those that are left out, too

LIMITS = Limits(wall_time_s=20.0, cpu_time_s=20.0, memory_kib=MEMORY_KIB, output_bytes=64 * 1024 * 1024)
_MAKING_LIMITS = replace(
    DATASET_LIMITS, wall_time_s=180.0, cpu_time_s=120.0, memory_kib=MEMORY_KIB, output_bytes=64 * 1024 * 1024
)
_MOST_DIGITS = 30  # of a size or number; the largest real size is 10**18
_PLAIN_CHECK = "return type(output) == type(answer) and output == answer"
_NO_PRINTING = "import time\ninput = None\nprint = None\n"  # as in ENAMEL's own: printing is an error there


def read_enamel(record: Record, context: ReadingContext) -> BenchmarkProblem:
    """Read a record of `enamel.csv`; its tests are made in the sandbox, with the seeds of ENAMEL's own evaluation.

    The cases are called `level 2, case 0`. Those of level 0 are for correctness, the others are what eff@k is computed
    from, with the reference beside them.

    Raises:
        RecordError: a field is not what it has to be, its code does not make tests, or ENAMEL leaves the problem out.
    """
    number = _number(record)
    if number in LEFT_OUT and context.configuration != ALL:
        raise record.error("task_id", "ENAMEL's own evaluation leaves this problem out; the configuration all has it")
    prompt, entry, check = (record.filled(name) for name in ("prompt", "entry_point", "checker"))
    reference = record.text("reference_solution").rstrip() + "\n"
    cases = _cases(record, context, number)
    problem = Problem(
        name=record.filled("task_id").replace("/", "-"),
        description=f"Complete the function {entry} in Python, as its docstring says.",
        starter_code=prompt,
        cases=cases,
        runner=calling_runner(entry, f"{_NO_PRINTING}{prompt}\n    pass\n"),
        checker=enamel_checker(prompt, check),
        limits=LIMITS,
    )
    strict = replace(problem, runner=calling_runner(entry, f"{prompt}\n    pass\n"), checker=strict_checker())
    return BenchmarkProblem(
        dataset=context.dataset or "enamel",
        id=record.filled("task_id"),
        problem=problem,
        strict=strict if _PLAIN_CHECK in check else None,
        references=(Reference(f"{prompt.rstrip()}\n{reference}"),),
        notes=("The tests are made by the record's generator with ENAMEL's seeds, the answers by its reference.",),
    )


def _number(record: Record) -> int:
    """Which problem of HumanEval it is: ENAMEL's seeds depend on it."""
    _, slash, number = record.filled("task_id").rpartition("/")
    if not slash or not number.isdecimal() or len(number) > _MOST_DIGITS:
        raise record.error("task_id", "this has to be like HumanEval/17")
    return int(number)


def _cases(record: Record, context: ReadingContext, number: int) -> tuple[TestCase, ...]:
    wanted = _wanted(record, number)
    source = inside_program(
        "enamel",
        "make_tests",
        prompt=record.text("prompt"),
        generator=record.filled("input_generator"),
        reference=record.filled("reference_solution"),
        entry=record.text("entry_point"),
    )
    made = answer_of(context.sandbox(), source, wanted, "input_generator", _MAKING_LIMITS)
    pairs = rows_of(made, len(wanted), 2, "input_generator")
    cases = []
    for (_, _, level, case), (given, answer) in zip(wanted, pairs, strict=True):
        if OPAQUE in given or OPAQUE in answer:
            raise record.error("input_generator", f"level {level}, case {case} holds what is no plain data")
        cases.append(TestCase(f"{given}\n".encode(), f"{answer}\n".encode(), f"level {level}, case {case}"))
    return tuple(cases)


def _wanted(record: Record, number: int) -> list[tuple[int, int, int, int]]:
    """Seed, size, level and number of each test, as ENAMEL's own evaluation has them."""
    levels = record.filled("input_levels").split()
    if len(levels) != len(TESTS_AT_LEVELS) or not all(
        each.isdecimal() and len(each) <= _MOST_DIGITS for each in levels
    ):
        raise record.error("input_levels", f"this has to be {len(TESTS_AT_LEVELS)} sizes")
    found, before = [], 0
    for level, (size, tests) in enumerate(zip(map(int, levels), TESTS_AT_LEVELS, strict=True)):
        found += [(SEED ^ number ^ (before + case), size, level, case) for case in range(tests)]
        before += tests
    return found

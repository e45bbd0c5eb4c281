"""EffiBench-X: problems on stdin and with methods, in several languages, each with limits of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent import Problem
from afterburner.agent.job.problem import SUBMISSION
from afterburner.evals.graders import preambles
from afterburner.evals.graders.texts import effibench_x_checker, program_runner
from afterburner.evals.problems import BenchmarkProblem, Reference
from afterburner.sandbox import Limits, TestCase
from afterburner.sandbox.checkers import Lines
from afterburner.sandbox.languages import find_language

if TYPE_CHECKING:
    from afterburner.evals.datasets.reading import ReadingContext
    from afterburner.evals.datasets.records import Record

CONFIGURATIONS = ("python3", "cpp", "golang", "java", "javascript", "ruby")


def read_effibench_x(record: Record, context: ReadingContext) -> BenchmarkProblem:
    """Read a record of EffiBench/effibench-x, for the language that is asked for as its configuration.

    Raises:
        RecordError: a field is not what it has to be, there is no test, or nothing for the language.
    """
    name, called = record.identity("id"), context.configuration or "python3"
    language = find_language(called).name
    cases = tuple(
        TestCase(each.text("input").encode(), each.text("output").encode(), str(number))
        for number, each in enumerate(record.json_parts("generated_tests"), start=1)
    )
    if not cases:
        raise record.error("generated_tests", "there are none")
    problem = Problem(
        name=record.text("title_slug", "") or f"effibench-x-{name}",
        description=record.text("description_md", "") or record.filled("description"),
        cases=cases,
        language=language,
        starter_code=_for_language(record, "starter_code", called),
        runner=_runner(record, called, language),
        checker=effibench_x_checker(record.filled("evaluator")),
        limits=_limits(record),
    )
    solution = _for_language(record, "solutions", called)
    return BenchmarkProblem(
        dataset=context.dataset,
        id=name,
        problem=problem,
        strict=replace(problem, checker=Lines()),
        references=(Reference(solution),) if solution.strip() else (),
        difficulty=record.text("difficulty", "").lower(),
        tags=record.texts("tags", []),
        generator=record.text("test_case_generator", ""),
    )


def _runner(record: Record, called: str, language: str) -> str:
    """The imports that solutions rely on, and the program around a solution where there is one."""
    imports, kind = preambles.EFFIBENCH_X.get(language, ""), record.filled("type")
    if kind == "io":
        return program_runner(imports) if language == "python" else ""
    if kind != "functional":
        raise record.error("type", f"this has to be functional or io, and it is {kind[:40]!r}")
    runner = record.part("test_runners").filled(called)
    if SUBMISSION not in runner:
        raise record.error(f"test_runners.{called}", f"it has no line {SUBMISSION}, where a solution is put")
    lines = (SUBMISSION if SUBMISSION in line else line for line in runner.split("\n"))
    return "\n".join((imports, *lines))


def _for_language(record: Record, field: str, called: str) -> str:
    """What a field says for a language; empty: nothing."""
    if not record.has(field):
        return ""
    held = record.part(field)
    found = held.values.get(called)
    return held.part(called).text("code", "") if isinstance(found, dict) else held.text(called, "")


def _limits(record: Record) -> Limits:
    time_s, memory_kib = (
        record.number("time_limit_nanos", 10e9) / 1e9,
        record.number("memory_limit_bytes", 2**30) / 1024,
    )
    if time_s <= 0 or memory_kib < 1:
        raise record.error("time_limit_nanos", "the limits have to be positive")
    return Limits(wall_time_s=time_s, cpu_time_s=time_s, memory_kib=int(memory_kib))

"""Venus in both of its layouts: Elfsong/Venus_Python, which has tests, and Elfsong/Venus, which has none."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent import Problem
from afterburner.agent.job.problem import SUBMISSION
from afterburner.evals.datasets.raw import RawProblem
from afterburner.evals.datasets.venus_fields import is_hub_layout
from afterburner.evals.graders import preambles
from afterburner.evals.graders.texts import venus_checker
from afterburner.evals.problems import BenchmarkProblem, Figures, Reference
from afterburner.sandbox import TestCase
from afterburner.sandbox.checkers import Lines
from afterburner.sandbox.languages import find_language

if TYPE_CHECKING:
    from afterburner.evals.datasets.reading import ReadingContext
    from afterburner.evals.datasets.records import Record

CONFIGURATIONS = ("python3", "cpp", "golang", "java", "javascript", "rust")
_MEASURED_ON = "the machine of the dataset's authors, of which the dataset tells nothing"
_INTEGRAL = (
    "The integrals that the dataset stores are sums over samples, not KiB·s, and are not used; its times are of all "
    "tests, 64 times over."
)
_FIGURE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|kb|kib|mb|mib|b|bytes)?\s*", re.IGNORECASE)
_SCALES = {"s": 1000.0, "mb": 1024.0, "mib": 1024.0, "b": 1 / 1024, "bytes": 1 / 1024}


def read_venus(record: Record, context: ReadingContext) -> BenchmarkProblem:
    """Read a record of Elfsong/Venus_Python, or of the same layout.

    Raises:
        RecordError: a field is not what it has to be, or there is no test.
    """
    raw = read_raw_venus(record, "python")
    references = tuple(measured_solution(each) for each in record.parts("solutions") if each.flag("passed"))
    known = any(each.figures is not None for each in references)
    if not raw.evaluator.strip():
        raise record.error("test_case_evaluator", "it is empty, so nothing says which output is right")
    return replace(
        _problem(raw, record, context),
        references=references,
        measured_on=_MEASURED_ON if known else "",
        notes=(_INTEGRAL,) if known else (),
    )


def read_venus_hub(record: Record, context: ReadingContext) -> BenchmarkProblem:
    """Read a record of Elfsong/Venus, to which somebody has added tests, as `test_cases` of the other layout has them.

    Raises:
        RecordError: a field is not what it has to be, or there is no test, as in the dataset itself.
    """
    raw = read_raw_venus(record, _language(context))
    if not raw.cases:
        raise record.error(
            "test_cases",
            "this layout has no tests, so that nothing can be judged. Add them, or make a benchmark of problems and "
            "their solutions: afterburner-agent eval build",
        )
    references = _hub_references(record, raw.solutions)
    return replace(_problem(raw, record, context), references=references, measured_on="LeetCode" if references else "")


def read_raw_venus(record: Record, language: str = "python") -> RawProblem:
    """Read a record of either layout as what a benchmark can be built of.

    Args:
        record: of either layout.
        language: of the solutions; the layout of the hub has a configuration for each language.

    Raises:
        RecordError: a field is not what it has to be.
    """
    if is_hub_layout(record):
        return _raw_hub(record, language)
    name, runner = record.identity("problem_id"), _runner(record, language)
    return RawProblem(
        id=name,
        title=record.text("title", name),
        description=record.filled("question_content"),
        difficulty=record.text("difficulty", "").lower(),
        tags=record.texts("tags", []),
        language=language,
        starter_code=record.text("code_prompt", ""),
        generator=record.text("test_case_generator", ""),
        evaluator=record.text("test_case_evaluator", ""),
        runner=runner,
        solutions=tuple(each.filled("code") for each in record.parts("solutions") if _is_usable(each)),
        cases=_cases(record),
    )


def _raw_hub(record: Record, language: str) -> RawProblem:
    return RawProblem(
        id=record.identity("question_id"),
        title=record.text("name", ""),
        description=record.filled("content"),
        difficulty=record.text("difficulty", "").lower(),
        tags=record.texts("topics", []),
        language=find_language(language).name,
        starter_code=record.text("code_prompt", ""),
        generator=record.text("test_case_generator", ""),
        evaluator=record.text("test_case_evaluator", ""),
        runner=_runner(record, language) if record.has("test_case_runners") else "",
        solutions=tuple(_hub_codes(record)),
        cases=_cases(record) if record.has("test_cases") else (),
    )


def _problem(raw: RawProblem, record: Record, context: ReadingContext) -> BenchmarkProblem:
    """A raw problem that has tests, judged by its evaluator; by lines where it has none."""
    if not raw.cases:
        raise record.error("test_cases", "there are none")
    checker = venus_checker(raw.evaluator) if raw.evaluator.strip() else Lines()
    problem = Problem(
        name=raw.title or raw.id,
        description=raw.description,
        cases=tuple(
            TestCase(given.encode(), expected.encode(), str(number))
            for number, (given, expected) in enumerate(raw.cases, start=1)
        ),
        language=raw.language,
        runner=raw.runner,
        starter_code=raw.starter_code,
        checker=checker,
        limits=context.unstated_limits,
    )
    return BenchmarkProblem(
        dataset=context.dataset,
        id=raw.id,
        problem=problem,
        strict=replace(problem, checker=Lines()),
        difficulty=raw.difficulty,
        tags=raw.tags,
        generator=raw.generator,
    )


def _runner(record: Record, language: str) -> str:
    """The program around a solution; the imports that solutions rely on are put before it, as the authors do."""
    found = record.values.get("test_case_runners")
    runner = record.part("test_case_runners").filled(_configuration(language)) if isinstance(found, dict) else ""
    runner = runner or record.filled("test_case_runners")
    if SUBMISSION not in runner:
        raise record.error("test_case_runners", f"it has no line {SUBMISSION}, where a solution is put")
    return f"{preambles.VENUS}\n{runner}" if find_language(language).name == "python" else runner


def _cases(record: Record) -> tuple[tuple[str, str], ...]:
    return tuple((each.text("input"), each.text("output")) for each in record.json_parts("test_cases"))


def _is_usable(solution: Record) -> bool:
    """Whether nobody said that a solution is wrong, and there is one: of a failed attempt the text may be empty."""
    return bool(solution.text("code").strip()) and solution.flag("passed", default=True)


def measured_solution(solution: Record) -> Reference:
    """A solution with what its dataset measured, in ms and KiB; null and infinity say that nobody did."""
    time_ms, memory_kib = solution.measured("time"), solution.measured("memory")
    return Reference(solution.filled("code"), _figures(time_ms, memory_kib))


def _hub_codes(record: Record) -> list[str]:
    """The solutions of a record of the hub's layout, without the hacks that read stdin; each once."""
    needs_class = "Solution" in record.text("code_prompt", "class Solution")
    every = (each.text("code") for name in ("rt_list", "mm_list") if record.has(name) for each in record.parts(name))
    return [
        code
        for code in dict.fromkeys(every)
        if code.strip() and "stdin" not in code and ("Solution" in code or not needs_class)
    ]


def _hub_references(record: Record, codes: tuple[str, ...]) -> tuple[Reference, ...]:
    times: dict[str, float] = {}
    peaks: dict[str, float] = {}
    for name, field, found in (("rt_list", "runtime", times), ("mm_list", "memory", peaks)):
        for each in record.parts(name) if record.has(name) else ():
            found[each.text("code")] = _figure(each, field)
    return tuple(Reference(code, _figures(times.get(code), peaks.get(code))) for code in codes)


def _figure(record: Record, field: str) -> float:
    """A runtime in ms or a memory in KiB, which the dataset has as texts."""
    found = _FIGURE.fullmatch(record.filled(field))
    if found is None:
        raise record.error(
            field, f"this has to be a number, perhaps with a unit, and it is {record.text(field)[:40]!r}"
        )
    return float(found[1]) * _SCALES.get((found[2] or "").lower(), 1.0)


def _figures(time_ms: float | None, memory_kib: float | None) -> Figures | None:
    """What is known, and NaN for what is not; None: nothing is."""
    if time_ms is None and memory_kib is None:
        return None
    unknown = math.nan
    wall_time_s = unknown if time_ms is None else time_ms / 1000
    return Figures(wall_time_s, unknown, unknown if memory_kib is None else memory_kib, unknown)


def _language(context: ReadingContext) -> str:
    return find_language(context.configuration or "python3").name


def _configuration(language: str) -> str:
    """What the hub calls a language."""
    names = {find_language(name).name: name for name in CONFIGURATIONS}
    return names.get(find_language(language).name, language)

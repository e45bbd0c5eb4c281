"""Stdin/stdout cases: a folder of `NAME.in` and `NAME.out`."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.errors import WorkloadError
from afterburner.agent.inputs.harness_answers import last_lines
from afterburner.agent.types import OF_A_PROBLEM, Workload, WorkloadCase
from afterburner.sandbox import Program, TestCase, UsageError, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from afterburner.agent.types import Target
    from afterburner.sandbox import CaseReport, PythonEnvironment, Report

HELD_OUT_SHARE = 0.3
MAX_FILE_BYTES = 64 * 1024 * 1024
MAX_CASES = 200
MAX_SHOWN_STDIN = 200  # bytes


def read_cases(folder: Path) -> list[WorkloadCase]:
    """All cases of the folder, by name.

    Raises:
        UsageError: no such folder, a partner is missing, a file is too large or cannot be read.
        WorkloadError: there are no cases in it.
    """
    if not folder.is_dir():
        raise UsageError(f"--cases: {folder} is not a folder. Give a folder that holds NAME.in and NAME.out files.")
    inputs = {path.stem: path for path in folder.glob("*.in")}
    outputs = {path.stem: path for path in folder.glob("*.out")}
    if not inputs and not outputs:
        raise WorkloadError(f"--cases: {folder} holds no cases. Put pairs of NAME.in and NAME.out into it.")
    for name in sorted(inputs.keys() ^ outputs.keys()):
        there, missing = (inputs[name], ".out") if name in inputs else (outputs[name], ".in")
        raise UsageError(f"--cases: {there} has no partner {name}{missing} beside it. Add it, or remove {there.name}.")
    if len(inputs) > MAX_CASES:
        raise UsageError(f"--cases: {folder} holds {len(inputs)} cases, more than {MAX_CASES}. Keep the telling ones.")
    origin = cases_origin(folder)
    return [WorkloadCase(name, _read(inputs[name]), _read(outputs[name]), origin) for name in sorted(inputs)]


def cases_origin(folder: Path) -> str:
    """What the report calls the inputs of a folder of cases: one origin for all of them."""
    return f"cases in {folder.absolute().name}"


def case_workload(
    target: Target, cases: Sequence[WorkloadCase], run: Callable[[Sequence[TestCase]], Report], seed: int
) -> Workload:
    """The workload of a whole program: every case has to pass on the original.

    Args:
        target: the program.
        cases: at least one.
        run: what becomes of the original on cases.
        seed: of which cases are held out.

    Raises:
        WorkloadError: the original fails on a case.
    """
    cases = check_cases(target, cases, run)
    held = _held_out([case.cpu_time_s for case in cases], seed)
    return Workload(
        cases=tuple(case for index, case in enumerate(cases) if index not in held),
        held_out_cases=tuple(case for index, case in enumerate(cases) if index in held),
    )


def check_cases(
    target: Target, cases: Sequence[WorkloadCase], run: Callable[[Sequence[TestCase]], Report]
) -> list[WorkloadCase]:
    """The cases, each with what it takes of the original's CPU time.

    Raises:
        WorkloadError: the original fails on a case.
    """
    reports = run([TestCase(case.stdin, case.expected_stdout, case.name) for case in cases])
    if reports.verdict is Verdict.COMPILE_ERROR:
        raise WorkloadError(f"{target.path} does not compile: {reports.cases[0].detail}. Correct the program.")
    for case, report in zip(cases, reports.cases, strict=True):
        if report.verdict is not Verdict.ACCEPTED:
            raise _refusal(target, case, report)
    costs_s = [report.measurement.cpu_time_s for report in reports.cases]
    return [replace(case, cpu_time_s=cost_s) for case, cost_s in zip(cases, costs_s, strict=True)]


def whole_program(target: Target, source: str, environment: PythonEnvironment) -> Program:
    """A program that is judged by stdin and stdout: of Python in its place in the project, of others one file."""
    if target.language != PYTHON:
        return Program(target.language, source)
    return Program(PYTHON, source, path=target.path, environment=environment)


def failing_case(cases: Sequence[WorkloadCase], reports: Sequence[CaseReport]) -> tuple[str, str] | None:
    """The shortest input on which a program does not print what it has to, and what it prints, each in one line."""
    wrong = [
        (case, report) for case, report in zip(cases, reports, strict=True) if report.verdict is Verdict.WRONG_ANSWER
    ]
    if not wrong:
        return None
    case, report = min(wrong, key=lambda pair: len(pair[0].stdin))
    shown = repr(case.stdin[:MAX_SHOWN_STDIN].decode("utf-8", "replace"))
    more = f" and {len(case.stdin) - MAX_SHOWN_STDIN:,} bytes more" if len(case.stdin) > MAX_SHOWN_STDIN else ""
    return f"stdin {shown}{more} (case {case.name})", report.detail


def _refusal(target: Target, case: WorkloadCase, report: CaseReport) -> Exception:
    said = last_lines(report.stderr)
    is_data = case.origin == OF_A_PROBLEM
    to_correct = "the program or the case" if is_data else f"the program, {case.name}.in or {case.name}.out"
    return WorkloadError(
        f"{target.path} itself fails on case {case.name}: {report.verdict.value.replace('_', ' ')}, {report.detail}"
        + (f" ({said})" if said else "")
        + f". Correct {to_correct}."
    )


def _held_out(costs_s: Sequence[float], seed: int) -> set[int]:
    """About 30 % of the cases; the costliest stays, the second costliest is held out, chance picks the others."""
    if len(costs_s) < 2:
        return set()
    by_cost = sorted(range(len(costs_s)), key=lambda index: -costs_s[index])
    others = sorted(by_cost[2:])
    wanted = max(round(len(costs_s) * HELD_OUT_SHARE), 1) - 1
    return {by_cost[1], *random.Random(seed).sample(others, min(wanted, len(others)))}  # noqa: S311 - no secret


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise UsageError(f"--cases: {path} is larger than {MAX_FILE_BYTES >> 20} MiB. Use a smaller case.")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"--cases: {path} cannot be read: {error.strerror}.") from error

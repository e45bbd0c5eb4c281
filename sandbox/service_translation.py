"""Between the words of the sandbox and their JSON, for the client of the service."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from afterburner.sandbox import service_schema as schema
from afterburner.sandbox.checkers import Checker, Custom, Exact, Floats, Lines, Tokens
from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.form_mistakes import first_mistake
from afterburner.sandbox.types import CallCase, CaseReport, Compilation, Measurement, Program, Report, TestCase

if TYPE_CHECKING:
    from afterburner.sandbox.task import Task


def request_of(task: Task) -> schema.RunRequest:
    """The request for a run.

    Raises:
        UsageError: it cannot travel, or has no cases.
    """
    if not task.cases:
        raise UsageError("There is nothing to run: no cases were given.")
    try:
        return schema.RunRequest(
            program=_program(task.program),
            cases=tuple(_case(case) for case in task.cases),
            limits=schema.LimitsModel(**asdict(task.limits)),
            checker=checker_model(task.checker or Lines()),
            stop_at_failure=task.stop_at_failure,
            stop_at_time_limit=task.stop_at_time_limit or None,
            keep_stdout_bytes=task.limits.output_bytes,
        )
    except ValidationError as error:
        raise UsageError(f"This cannot be sent to a sandbox service: {first_mistake(error)}.") from error


def report_of(model: schema.ReportModel) -> Report:
    """The report that a service sent."""
    return Report(
        verdict=model.verdict,
        measurement=Measurement(**model.measurement.model_dump()),
        cases=tuple(_case_report(case) for case in model.cases),
        backend=model.backend,
        compilation=None if model.compilation is None else Compilation(**model.compilation.model_dump()),
    )


def _case_report(model: schema.CaseReportModel) -> CaseReport:
    return CaseReport(
        verdict=model.verdict,
        detail=model.detail,
        measurement=Measurement(**model.measurement.model_dump()),
        exit_code=model.exit_code,
        signal=model.signal,
        stdout=model.stdout.data(),
        stderr=model.stderr,
        stdout_bytes=model.stdout_bytes,
    )


def _program(program: Program) -> schema.ProgramModel:
    if program.entry is not None or program.path is not None or program.environment is not None:
        raise UsageError(
            "A program with an entry, a path or an environment needs files of this machine, which a sandbox service "
            "does not have. Use a local sandbox."
        )
    return schema.ProgramModel(language=program.language, source=program.source, arguments=program.arguments)


def _case(case: TestCase | CallCase) -> schema.CaseModel:
    if isinstance(case, CallCase):
        raise UsageError("Calls of functions need a local sandbox; a sandbox service runs whole programs.")
    wanted = case.expected_stdout
    if isinstance(wanted, Path):  # the service has no file of ours
        wanted = wanted.read_bytes()
    expected = None if wanted is None else schema.Blob.of(wanted)
    return schema.CaseModel(stdin=schema.Blob.of(case.stdin), expected_stdout=expected, name=case.name)


def checker_model(checker: Checker) -> schema.CheckerModel:
    """A checker as JSON has it.

    Raises:
        UsageError: it is a program that needs files of this machine.
    """
    match checker:
        case Exact():
            return schema.ExactModel(kind="exact")
        case Lines():
            return schema.LinesModel(kind="lines")
        case Tokens():
            return schema.TokensModel(kind="tokens")
        case Floats():
            return schema.FloatsModel(kind="floats", relative=checker.relative, absolute=checker.absolute)
        case Custom():
            limits = schema.LimitsModel(**asdict(checker.limits))
            program, accepts_equal = _program(checker.program), checker.accepts_equal
            return schema.CustomModel(kind="custom", program=program, limits=limits, accepts_equal=accepts_equal)

"""From a request to a report: the bounds that the service sets, and what of an output is kept."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from afterburner.sandbox.checkers import Checker, Custom, Exact, Floats, Lines, Tokens
from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.service_schema import CustomModel, ExactModel, FloatsModel, LinesModel, TokensModel
from afterburner.sandbox.task import Task
from afterburner.sandbox.types import Limits, Program, TestCase, Verdict
from afterburner.sandbox.verdicts import summarise

if TYPE_CHECKING:
    from afterburner.sandbox.sandbox import Sandbox
    from afterburner.sandbox.service.settings import Settings
    from afterburner.sandbox.service_schema import CheckerModel, LimitsModel, ProgramModel, RunRequest
    from afterburner.sandbox.types import CaseReport, Report

_BATCH = 16  # cases whose whole outputs are held at a time


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """A request within the bounds of the service."""

    program: Program
    cases: tuple[TestCase, ...]
    limits: Limits
    checker: Checker
    stop_at_failure: bool
    stop_at_time_limit: bool
    keep_stdout_bytes: int

    def run(self, sandbox: Sandbox, cpu: int) -> Report:
        """The report, with no more of the outputs than is wanted. For a thread."""
        reports: list[CaseReport] = []
        compilation = None
        for start in range(0, len(self.cases), _BATCH):
            batch = self.cases[start : start + _BATCH]
            task = Task(self.program, batch, self.limits, self.checker, self.stop_at_failure, self.stop_at_time_limit)
            report = sandbox.run_task(task, cpu=cpu)
            compilation = compilation or report.compilation
            reports += (
                dataclasses.replace(case, stdout=case.stdout[: self.keep_stdout_bytes]) for case in report.cases
            )
            if report.verdict is Verdict.COMPILE_ERROR:  # of all cases
                reports = [reports[-1]] * len(self.cases)
                break
            if task.stops_at(report.verdict):
                break
        return dataclasses.replace(summarise(reports, sandbox.describe()[0]), compilation=compilation)


def job_of(request: RunRequest, settings: Settings) -> Job:
    """The request as a job.

    Raises:
        UsageError: it goes beyond a bound that cannot be lowered silently.
    """
    limits, number = applied(request.limits, settings.limits), len(request.cases)
    if number > settings.cases:
        raise UsageError(f"{number} cases are more than this service runs in one task: {settings.cases}.")
    if number * limits.wall_time_s > settings.task_time_s:
        raise UsageError(
            f"{number} cases of up to {limits.wall_time_s:g} s each may take longer than this service's "
            f"{settings.task_time_s:g} s for one task. Lower limits.wall_time_s, or send fewer cases."
        )
    return Job(
        program=program_of(request.program),
        cases=tuple(
            TestCase(
                case.stdin.data(), None if case.expected_stdout is None else case.expected_stdout.data(), case.name
            )
            for case in request.cases
        ),
        limits=limits,
        checker=checker_of(request.checker, settings.limits),
        stop_at_failure=request.stop_at_failure,
        stop_at_time_limit=bool(request.stop_at_time_limit),
        keep_stdout_bytes=min(request.keep_stdout_bytes, settings.kept_output_bytes // number),
    )


def applied(wanted: LimitsModel, most: Limits) -> Limits:
    """The limits that count: those wanted, else the defaults, and never more than the maxima."""
    given = wanted.model_dump(exclude_none=True)
    values = dataclasses.asdict(Limits()) | given
    return Limits(**{name: min(value, getattr(most, name)) for name, value in values.items()})


def program_of(model: ProgramModel) -> Program:
    """The program of a request."""
    return Program(model.language, model.source, arguments=model.arguments)


def checker_of(model: CheckerModel, most: Limits) -> Checker:
    """The checker of a request; a checker program has the same maxima as any other."""
    match model:
        case ExactModel():
            return Exact()
        case LinesModel():
            return Lines()
        case TokensModel():
            return Tokens()
        case FloatsModel():
            return Floats(model.relative, model.absolute)
        case CustomModel():
            return Custom(program_of(model.program), applied(model.limits, most), model.accepts_equal)

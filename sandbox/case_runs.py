"""One case after another: in which container, how often tried, and how judged."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, TypeVar

from afterburner.sandbox.calls import read_reply
from afterburner.sandbox.checkers import comparison
from afterburner.sandbox.custom_checker import CheckedOutput, run_checker
from afterburner.sandbox.errors import SandboxInternalError
from afterburner.sandbox.types import KEPT_OUTPUT_BYTES, CallCase, Verdict
from afterburner.sandbox.verdicts import report_of_process, worst

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from afterburner.sandbox.checkers import Checker, Custom
    from afterburner.sandbox.comparing import Comparison
    from afterburner.sandbox.container import Container, OpenContainer
    from afterburner.sandbox.custom_checker import RunAlone
    from afterburner.sandbox.launch import Launch
    from afterburner.sandbox.types import CaseReport, Limits, RawResult, TestCase

ATTEMPTS = 3  # at one case, before a failure of the sandbox itself is told
_Result = TypeVar("_Result")


class Supply:
    """A usable container whenever one is asked for: the same one, until it is spent."""

    def __init__(self, open_container: OpenContainer, launch: Launch) -> None:
        self._open_container = open_container
        self._launch = launch
        self._stack = ExitStack()
        self._current: Container | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def get(self) -> Container:
        """The container to use now."""
        if self._current is None or not self._current.usable:
            self.discard()
            self._current = self._stack.enter_context(self._open_container(self._launch.spec))
            self._launch.fill(self._current)
        return self._current

    def discard(self) -> None:
        """Ends the current container."""
        self._stack.close()
        self._current = None


def retry_internal_errors(attempt: Callable[[], _Result], between: Callable[[], object] = lambda: None) -> _Result:
    """The result of the first attempt at which the sandbox itself does not fail."""
    for _ in range(ATTEMPTS - 1):
        try:
            return attempt()
        except SandboxInternalError:
            between()
    return attempt()


@dataclass(frozen=True, slots=True)
class CaseSettings:
    """How every case is run and judged; `run_alone` runs a checker program."""

    limits: Limits
    checker: Checker
    cpu: int | None
    run_alone: RunAlone


def run_case(supply: Supply, launch: Launch, case: TestCase | CallCase, settings: CaseSettings) -> CaseReport:
    """Runs one case and judges it.

    Raises:
        SandboxInternalError: the sandbox itself failed, several times.
    """

    def attempt() -> CaseReport:
        if isinstance(case, CallCase):
            return _run_calls(supply.get(), launch, case, settings)
        return _run_script(supply.get(), launch, case, settings)

    return retry_internal_errors(attempt, supply.discard)


class _Judge:
    """Looks at an output when its program has ended, or from when on it is longer than what may be held of it.

    VersionJudge takes longer than printing, and the program would have to wait, with its clock running.
    """

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._held: list[memoryview] = []
        self._room = KEPT_OUTPUT_BYTES

    def feed(self, piece: memoryview) -> None:
        self._held.append(piece)
        self._room -= len(piece)
        if self._room < 0:
            self._look()

    def finish(self) -> str | None:
        """See `Comparison.finish`."""
        self._look()
        return self._comparison.finish()

    def _look(self) -> None:
        for piece in self._held:
            self._comparison.feed(piece)
        self._held.clear()


def _run_script(container: Container, launch: Launch, case: TestCase, settings: CaseSettings) -> CaseReport:
    command, stdin = launch.command(case)

    def check(checker: Custom, printed: bytes, expected: bytes) -> str | None:
        output = CheckedOutput(case.stdin, printed, expected)
        return run_checker(settings.run_alone, checker, output, cpu=settings.cpu)

    judging = (
        None if case.expected_stdout is None else _Judge(comparison(settings.checker, case.expected_stdout, check))
    )
    sink = None if judging is None else judging.feed
    report = report_of_process(
        container.run(command, stdin, settings.limits, cpu=settings.cpu, stdout_sink=sink), settings.limits
    )
    if report.verdict is not Verdict.ACCEPTED or judging is None:
        return report
    difference = judging.finish()
    if difference is None:
        return report
    return replace(report, verdict=Verdict.WRONG_ANSWER, detail=difference)


def _run_calls(container: Container, launch: Launch, case: CallCase, settings: CaseSettings) -> CaseReport:
    command, stdin = launch.command(case)
    raw = container.run(command, stdin, settings.limits, cpu=settings.cpu)
    return _judge_calls(report_of_process(raw, settings.limits), raw, case)


def _judge_calls(report: CaseReport, raw: RawResult, case: CallCase) -> CaseReport:
    reply = read_reply(raw, case)
    verdict, detail = reply.verdict, reply.detail
    if worst([report.verdict, verdict]) is not verdict:  # how the process ended outranks what it says of itself
        verdict, detail = report.verdict, report.detail
    return replace(
        report,
        verdict=verdict,
        detail=detail,
        stdout=b"",
        outcomes=reply.outcomes,
        call_measurement=reply.call_measurement,
        difference_at=reply.difference_at,
        first_pass_cpu_s=reply.first_pass_cpu_s,
        unfit_calls=reply.unfit_calls,
    )

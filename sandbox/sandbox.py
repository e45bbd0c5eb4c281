"""The sandbox: a program and its cases go in, verdicts and measurements come out."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.artefacts import Artefacts
from afterburner.sandbox.case_runs import CaseSettings, Supply, retry_internal_errors, run_case
from afterburner.sandbox.checkers import Lines
from afterburner.sandbox.compiling import compile_program
from afterburner.sandbox.cores import divide_cores, usable_cpus
from afterburner.sandbox.duels import prepare_duel, read_duel
from afterburner.sandbox.errors import CancelledError, UsageError
from afterburner.sandbox.fingerprints import Fingerprints
from afterburner.sandbox.known_runs import KnownRuns
from afterburner.sandbox.languages import find_language
from afterburner.sandbox.launch import encoded_source, python_launch, python_variables, toolchain_launch
from afterburner.sandbox.schedule import run_many, run_many_async
from afterburner.sandbox.task import Task
from afterburner.sandbox.tracing import SANDBOX, span
from afterburner.sandbox.types import (
    CallCase,
    CaseReport,
    Compilation,
    Limits,
    Measurement,
    Program,
    Report,
    TestCase,
    Verdict,
)
from afterburner.sandbox.verdicts import all_accepted, report_of_process, summarise

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from afterburner.sandbox.backend import Backend
    from afterburner.sandbox.checkers import Checker
    from afterburner.sandbox.container import Container
    from afterburner.sandbox.cores import Slots
    from afterburner.sandbox.duels import Duel, DuelReport
    from afterburner.sandbox.languages import Language
    from afterburner.sandbox.launch import File, Launch
    from afterburner.sandbox.shared_cpus import CpuShare
    from afterburner.sandbox.types import Command, ContainerSpec, RawResult

__all__ = ["Sandbox", "encoded_source", "python_variables"]

_DEFAULT_LIMITS = Limits()
_BY_LINES = Lines()


class Sandbox:
    """Runs programs; several threads may do so at once. Made by `open_sandbox`.

    With a `share`, programs that are not pinned to a core wait for a CPU that no other job needs for timing.
    """

    def __init__(self, backend: Backend, folder: Path, artefacts: Artefacts | None = None) -> None:
        self.backend = backend
        self.stopped = False
        self.known: KnownRuns | None = None  # what one job knows of earlier runs; its branches have it in common
        self.share: CpuShare | None = None  # what one job has of the CPUs; likewise
        self._folder = folder
        self._artefacts = artefacts or Artefacts()
        self._in_use: set[Container] = set()
        self._branches: set[Sandbox] = set()

    def stop(self) -> None:
        """Ends whatever runs, in any thread, at once. Whoever waits for it, or asks for more, gets a CancelledError.

        A worker's program must not go on until its limit while the user waits for the prompt.
        """
        self.stopped = True
        for container in tuple(self._in_use):
            container.cancel()
        for branch in tuple(self._branches):
            branch.stop()

    @contextmanager
    def branch(self, known_in: Path | None = None) -> Iterator[Sandbox]:
        """The same sandbox again, which can be stopped without this one; stopping this one stops it, too.

        Its staging folders are gone when the block is left.

        Args:
            known_in: where it keeps what `run_known` finds out; None: nowhere. Only bubblewrap, which shows the
                machine's own system, keeps anything.
        """
        with tempfile.TemporaryDirectory(prefix="branch-", dir=self._folder) as folder:
            branch = Sandbox(self.backend, Path(folder), self._artefacts)
            branch.share, branch.known = self.share, self.known
            if known_in is not None and self.backend.follows_caller:
                branch.known = KnownRuns(known_in, Fingerprints(Path(folder)))
            self._branches.add(branch)
            if self.stopped:  # perhaps just now, by another thread
                branch.stop()
            try:
                yield branch
            finally:
                self._branches.discard(branch)

    @contextmanager
    def supplied(self, spec: ContainerSpec) -> Iterator[Container]:
        """A container that `stop` knows of.

        Raises:
            CancelledError: the sandbox was stopped.
            SandboxInternalError: the container does not start.
        """
        container = self.container(spec)
        self._in_use.add(container)  # first: from here on either `stop` finds it, or we see that it was called
        try:
            if self.stopped:
                raise CancelledError
            with container:
                yield container
        finally:
            self._in_use.discard(container)

    def describe(self) -> tuple[str, str]:
        """The backend with its version, and the tier: how limits and memory are watched."""
        return self.backend.name, self.backend.tier

    @property
    def follows_caller(self) -> bool:
        """See `Backend.follows_caller`."""
        return self.backend.follows_caller

    @property
    def cpus(self) -> frozenset[int]:
        """The CPUs that its programs may run on: what the thread that calls may use, or what its job shares."""
        return usable_cpus() if self.share is None else self.share.cpus

    def slots(self) -> Slots:
        """Where its programs run side by side."""
        return divide_cores()

    def staging_folder(self) -> Path:
        """A new folder for files that containers are to show; it is gone with the sandbox.

        Whoever else has the machine cannot enter it, yet any user inside a container may read what it holds.
        """
        return Path(tempfile.mkdtemp(prefix="staged-", dir=self._folder))

    def container(self, spec: ContainerSpec) -> Container:
        """A container for several raw runs; a context manager, to be used in one thread."""
        return self.backend.container(spec)

    def run_raw(
        self, spec: ContainerSpec, command: Command, stdin: bytes, limits: Limits, *, cpu: int | None = None
    ) -> RawResult:
        """Runs one command in a container of its own, and judges nothing.

        Raises:
            SandboxInternalError: the sandbox failed, not the command.
        """
        with self._place(cpu), span(SANDBOX, "run"), self.supplied(spec) as container:
            return container.run(command, stdin, limits, cpu=cpu)

    def run(
        self,
        program: Program,
        cases: Sequence[TestCase | CallCase],
        limits: Limits = _DEFAULT_LIMITS,
        *,
        checker: Checker = _BY_LINES,
        cpu: int | None = None,
        stop_at_failure: bool = False,
        stop_at_time_limit: bool = False,
    ) -> Report:
        """Runs a program on its cases: one container, and in it a fresh process for each case.

        Args:
            program: what to run; it enters the container read-only, compiled before if its language is.
            cases: inputs, and what is expected of them; the latter stays outside.
            limits: for each case; the compiler has limits of its own.
            checker: what counts as the expected output.
            cpu: the core that the program is pinned to.
            stop_at_failure: leave out the cases after the first that is not accepted.
            stop_at_time_limit: leave out the cases after the first that runs out of time, which decides the verdict.

        Raises:
            UsageError: a language that the sandbox does not know, or no cases.
            ToolchainMissingError: nothing here compiles or runs the language.
            CheckerError: the checker program failed; nothing is said of the program.
            SandboxInternalError: the sandbox itself failed, several times; likewise.
        """
        return self.run_task(Task(program, cases, limits, checker, stop_at_failure, stop_at_time_limit), cpu=cpu)

    def run_known(
        self,
        program: Program,
        cases: Sequence[TestCase | CallCase],
        limits: Limits = _DEFAULT_LIMITS,
        *,
        known_by: Sequence[TestCase | CallCase] | None = None,
        is_final: Callable[[Sequence[CaseReport]], bool] = all_accepted,
    ) -> tuple[CaseReport, ...]:
        """As `run`, but what an earlier run came to in the same surroundings is not found out again.

        It is for what never changes while a program is worked on: the original. Nothing that is timed belongs here.

        Args:
            program: what to run.
            cases: inputs; nothing is expected of them.
            limits: for each case.
            known_by: what the reports are kept under, in the place of the cases, where these hold limits of time.
            is_final: whether reports may be kept: not where a clock has cut something short.

        Raises:
            SandboxInternalError: as `run`.
        """
        key = self.known.key(program, known_by or cases, limits, self.describe()) if self.known is not None else None
        if self.known is None or key is None:
            return self.run(program, cases, limits).cases
        if self.stopped:
            raise CancelledError
        found = self.known.find(key, len(cases))
        if found is not None:
            return found
        reports = self.run(program, cases, limits).cases
        if is_final(reports):
            self.known.keep(key, reports)
        return reports

    def run_task(self, task: Task, *, cpu: int | None = None) -> Report:
        """Runs a task, and raises as `run` does."""
        _check_kinds(task)
        language = find_language(task.program.language)
        if language.name != "python" and any(isinstance(case, CallCase) for case in task.cases):
            raise UsageError(f"Calls of functions are for Python; a {language.name} program is run on stdin.")
        with self._place(cpu):
            return self._run_cases(task, language, cpu)

    def _run_cases(self, task: Task, language: Language, cpu: int | None) -> Report:
        program, cases, limits = task.program, task.cases, task.limits
        compilation, artefact = self._compiled(program, language, cpu)
        if compilation is not None and not compilation.succeeded:
            return _not_compiled(compilation, len(cases), self.describe())
        reports: list[CaseReport] = []
        settings = CaseSettings(limits, task.checker or _BY_LINES, cpu, self.run_alone)
        with (
            span(SANDBOX, "judge", cases=len(cases)),
            self._launched(program, language, limits, artefact) as launch,
            Supply(self.supplied, launch) as supply,
        ):
            for case in cases:
                reports.append(run_case(supply, launch, case, settings))
                if task.stops_at(reports[-1].verdict):
                    break
        return replace(summarise(reports, self.backend.name), compilation=compilation)

    def run_alone(
        self,
        program: Program,
        limits: Limits = _DEFAULT_LIMITS,
        *,
        stdin: bytes = b"",
        files: Sequence[File] = (),
        cpu: int | None = None,
    ) -> RawResult | Compilation:
        """Runs a program once, in a container of its own, and judges nothing.

        Args:
            program: what to run.
            limits: for the run; the compiler has limits of its own.
            stdin: what it may read.
            files: what it may read beside; they lie in `PROGRAM_FOLDER`.
            cpu: the core that it is pinned to.

        Returns:
            What became of the process; or what the compiler said, if there is no program to run.

        Raises:
            As `run`.
        """
        language = find_language(program.language)
        with self._place(cpu):
            compilation, artefact = self._compiled(program, language, cpu)
            if compilation is not None and not compilation.succeeded:
                return compilation
            with span(SANDBOX, "run alone"), self._launched(program, language, limits, artefact) as launch:
                command, given = launch.command(TestCase(stdin))
                with Supply(self.supplied, replace(launch, files=(*launch.files, *files))) as supply:
                    return retry_internal_errors(
                        lambda: supply.get().run(command, given, limits, cpu=cpu), supply.discard
                    )

    def duel(
        self, program: Program, duel: Duel, limits: Limits = _DEFAULT_LIMITS, *, cpu: int | None = None
    ) -> DuelReport:
        """Samples a program and rewrites of it in turns or at once; see `afterburner.sandbox.duels`.

        Args:
            program: side 0: the original, entered by a function.
            duel: the other sides, the calls, and the order of the samples.
            limits: for all samples together.
            cpu: the core that they are pinned to.

        Raises:
            UsageError: the program is no function of a Python module.
            SandboxInternalError: the sandbox itself failed, several times.
        """
        with (
            self._place(cpu),
            span(SANDBOX, "duel", samples=len(duel.order)),
            self._launched(program, find_language("python"), limits, None) as launch,
            Supply(self.supplied, launch) as supply,
        ):
            command, stdin = launch.driver_command(prepare_duel(program, duel), duel.case)
            raw = retry_internal_errors(lambda: supply.get().run(command, stdin, limits, cpu=cpu), supply.discard)
        whole = report_of_process(raw, limits)
        return read_duel(raw, duel, whole.verdict, whole.detail)

    def run_many(self, tasks: Iterable[Task], *, jobs: int | None = None) -> Iterator[Report]:
        """Runs tasks side by side, and gives their reports in the order of the tasks.

        Each task has a core of its own, which nothing else of this user's sandboxes runs on meanwhile; the meters and
        this process keep to other cores. Tasks are taken from the iterable only as fast as they are run. Leaving the
        iterator early, or an error, kills whatever still runs at once.

        Args:
            tasks: what to run; may be endless.
            jobs: how many at a time; never more than there are cores for it.

        Raises:
            SandboxInternalError: the sandbox itself failed at a task, several times.
            AfterburnerError: whatever `run` raises.
        """
        return run_many(self, tasks, jobs)

    def run_many_async(self, tasks: Iterable[Task], *, jobs: int | None = None) -> AsyncIterator[Report]:
        """As `run_many`, in an event loop; cancelling the task that iterates kills what runs."""
        return run_many_async(self, tasks, jobs)

    def _place(self, cpu: int | None) -> AbstractContextManager[None]:
        """A CPU for a program that is not pinned to one, where jobs share them.

        Raises:
            CancelledError: the sandbox was stopped while it waited.
        """
        return nullcontext() if cpu is not None or self.share is None else self.share.one(lambda: self.stopped)

    def _compiled(
        self, program: Program, language: Language, cpu: int | None
    ) -> tuple[Compilation | None, bytes | None]:
        if language.compile is None:
            return None, None
        toolchain = self.backend.toolchain(language)
        key = (language.name, toolchain.version, program.source)
        found = self._artefacts.get(key)
        if found is None:
            with span(SANDBOX, "compile"):
                found = retry_internal_errors(lambda: compile_program(self.supplied, program, language, toolchain, cpu))
            if found[0].succeeded:  # a failure may be a busy machine's, where the compiler ran into its limit
                self._artefacts.keep(key, found)
        return found

    def _launched(
        self, program: Program, language: Language, limits: Limits, artefact: bytes | None
    ) -> AbstractContextManager[Launch]:
        environment = program.environment or self.backend.python()
        if language.name == "python" and environment is not None:
            return python_launch(program, environment, limits, self._folder)
        toolchain = self.backend.toolchain(language)
        return nullcontext(toolchain_launch(program, language, toolchain, limits, artefact))


def _check_kinds(task: Task) -> None:
    """Says at the door what would be a riddle deep inside."""
    program, cases, limits = task.program, task.cases, task.limits
    if not cases:
        raise UsageError("There is nothing to run: no cases were given.")
    if not isinstance(program, Program) or not isinstance(program.source, str):
        raise UsageError("A program is a Program(language, source), and its source is text (str).")
    if not isinstance(limits, Limits):
        raise UsageError(f"Limits are given as Limits(wall_time_s=…, …), not as {type(limits).__name__}.")
    for case in cases:
        if not isinstance(case, TestCase | CallCase):
            raise UsageError(f"A case is a TestCase or a CallCase, not {type(case).__name__}.")
        if isinstance(case, TestCase) and not isinstance(case.stdin, bytes):
            raise UsageError(f"TestCase.stdin is bytes, not {type(case.stdin).__name__}: write b'…', or encode it.")
        if isinstance(case, TestCase) and not isinstance(case.expected_stdout, bytes | Path | None):
            raise UsageError(f"TestCase.expected_stdout is bytes or a Path, not {type(case.expected_stdout).__name__}.")


def _not_compiled(compilation: Compilation, cases: int, described: tuple[str, str]) -> Report:
    """The report on a program that never ran."""
    backend, tier = described
    nothing = Measurement(0.0, 0.0, 0, 0.0, tier=tier)
    said = [line for line in compilation.message.splitlines() if not line.startswith("# ")]  # Go names its package so
    first = next((line for line in said if "error" in line), said[0] if said else "it does not compile")
    case = CaseReport(Verdict.COMPILE_ERROR, first[:300], nothing, None, None, b"", compilation.message)
    return replace(summarise([case] * cases, backend), compilation=compilation)

"""The sandbox as its users see it: a program and its cases go in, verdicts and measurements come out."""

from __future__ import annotations

import tempfile
import tokenize
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Self

from afterburner.sandbox.calls import prepare_call, read_reply
from afterburner.sandbox.container import HOME, Container
from afterburner.sandbox.errors import SandboxInternalError, UsageError
from afterburner.sandbox.interpreter import own_environment
from afterburner.sandbox.judge import explain_difference
from afterburner.sandbox.leftovers import workspace
from afterburner.sandbox.meter.build import meter_path
from afterburner.sandbox.preflight import find_bubblewrap
from afterburner.sandbox.types import (
    Bind,
    CallCase,
    CaseReport,
    Command,
    ContainerSpec,
    Limits,
    Measurement,
    Report,
    Verdict,
)
from afterburner.sandbox.verdicts import TIER, report_of_process, summarise, worst

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from afterburner.sandbox.environment import PythonEnvironment
    from afterburner.sandbox.preflight import Bubblewrap
    from afterburner.sandbox.types import Program, RawResult, TestCase

DRIVER = f"{HOME}/driver"  # the scripts of `sandbox/driver`, in every container that runs Python
_SCRIPT = f"{HOME}/program/main.py"
_SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"
_ONE_THREAD = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "BLIS", "VECLIB", "RAYON", "NUMBA", "POLARS_MAX", "JULIA")
_DEFAULT_LIMITS = Limits()


@contextmanager
def open_sandbox(backend: str = "auto") -> Iterator[Sandbox]:
    """A sandbox, ready to run programs until the context is left.

    Args:
        backend: `auto` or `bubblewrap`.

    Raises:
        UsageError: no such backend.
        SandboxUnavailableError: this machine has no real sandbox; the message says how to get one.
    """
    if backend == "docker" or backend.startswith(("http://", "https://")):
        raise UsageError(f"The sandbox backend {backend!r} is not available yet. Use 'bubblewrap' on Linux.")
    if backend not in {"auto", "bubblewrap"}:
        raise UsageError(f"There is no sandbox backend {backend!r}. Use 'auto' or 'bubblewrap'.")
    bubblewrap = find_bubblewrap()
    meter = meter_path()
    with workspace() as folder:
        yield Sandbox(bubblewrap, meter, folder)


class Sandbox:
    """Runs programs; several threads may do so at once. Made by `open_sandbox`."""

    def __init__(self, bubblewrap: Bubblewrap, meter: Path, folder: Path) -> None:
        self._bubblewrap = bubblewrap
        self._meter = meter
        self._folder = folder
        self._in_use: set[Container] = set()
        self._stopped = False

    def stop(self) -> None:
        """Ends whatever runs, in any thread, at once; who waits for it gets a SandboxInternalError.

        For interrupts: a worker's program must not go on until its limit while the user waits for the prompt.
        """
        self._stopped = True
        for container in tuple(self._in_use):
            container.kill()

    @contextmanager
    def supplied(self, spec: ContainerSpec) -> Iterator[Container]:
        """A container that `stop` knows of.

        Raises:
            SandboxInternalError: the sandbox was stopped, or the container does not start.
        """
        if self._stopped:
            raise SandboxInternalError("The sandbox was stopped.")
        with self.container(spec) as container:
            self._in_use.add(container)
            try:
                yield container
            finally:
                self._in_use.discard(container)

    def describe(self) -> tuple[str, str]:
        """The backend with its version, and the tier: how limits and memory are watched."""
        return f"bubblewrap {self._bubblewrap.version}", TIER

    def container(self, spec: ContainerSpec) -> Container:
        """A container for several raw runs; a context manager, to be used in one thread."""
        return Container(spec, bubblewrap=self._bubblewrap.path, meter=self._meter)

    def run_raw(
        self, spec: ContainerSpec, command: Command, stdin: bytes, limits: Limits, *, cpu: int | None = None
    ) -> RawResult:
        """Runs one command in a container of its own, and judges nothing.

        Raises:
            SandboxInternalError: the sandbox failed, not the command.
        """
        with self.supplied(spec) as container:
            return container.run(command, stdin, limits, cpu=cpu)

    def run(
        self,
        program: Program,
        cases: Sequence[TestCase | CallCase],
        limits: Limits = _DEFAULT_LIMITS,
        *,
        cpu: int | None = None,
        stop_at_failure: bool = False,
    ) -> Report:
        """Runs a program on its cases: one container, and in it a fresh process for each case.

        Args:
            program: what to run; its source enters the container read-only.
            cases: inputs, and what is expected of them; the latter stays outside.
            limits: for each case.
            cpu: the core that the program is pinned to.
            stop_at_failure: leave out the cases after the first that is not accepted.

        Raises:
            UsageError: a language that the sandbox does not know, or no cases.
        """
        if program.language != "python":
            raise UsageError(f"The sandbox cannot run {program.language!r} yet; it knows 'python'.")
        if not cases:
            raise UsageError("There is nothing to run: no cases were given.")
        environment = program.environment or own_environment()
        task = _Task(replace(program, environment=environment), environment, limits, cpu)
        reports: list[CaseReport] = []
        with self._staged(program, environment, limits) as spec, _Supply(self, spec) as supply:
            for case in cases:
                reports.append(task.run(supply, case))
                if stop_at_failure and reports[-1].verdict is not Verdict.ACCEPTED:
                    break
        return summarise(reports, self.describe()[0])

    @contextmanager
    def _staged(self, program: Program, environment: PythonEnvironment, limits: Limits) -> Iterator[ContainerSpec]:
        """Writes the source to a host file, and says what to bind where."""
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            source = Path(folder, "source.py")
            source.write_bytes(encoded_source(program.source))
            binds = (
                *environment.binds,
                Bind(str(Path(__file__).parent / "driver"), DRIVER),
                Bind(str(source), _place(program)),
            )
            yield ContainerSpec(binds, writable_kib=limits.file_kib)


class _Supply:
    """A usable container whenever one is asked for: the same one, until it is spent."""

    def __init__(self, sandbox: Sandbox, spec: ContainerSpec) -> None:
        self._sandbox = sandbox
        self._spec = spec
        self._stack = ExitStack()
        self._current: Container | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def get(self) -> Container:
        if self._current is None or not self._current.usable:
            self._stack.close()
            self._current = self._stack.enter_context(self._sandbox.supplied(self._spec))
        return self._current

    def discard(self) -> None:
        """Ends the current container."""
        self._stack.close()
        self._current = None


def python_variables(environment: PythonEnvironment, hash_seed: int = 0) -> dict[str, str]:
    """The whole environment of a Python program in the sandbox; nothing comes from the host's.

    It leaves `import_paths` to others: a `PYTHONPATH` would let a project's `json.py` stand before our driver's.
    """
    variables = {
        "PATH": f"{Path(environment.executable).parent}:{_SEARCH_PATH}",
        "HOME": "/tmp",  # noqa: S108 - inside the container
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
    }
    variables |= {f"{library}_NUM_THREADS": "1" for library in _ONE_THREAD}
    return variables


def encoded_source(source: str) -> bytes:
    """The bytes of a Python file: in the encoding that its first lines declare (PEP 263), by default UTF-8.

    A text that its own declaration cannot hold is written in UTF-8, where Python then reports the mismatch.
    """
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(source.encode("utf-8", "surrogatepass")).readline)
        return source.encode(encoding)
    except (SyntaxError, UnicodeEncodeError, LookupError):
        return source.encode("utf-8", "surrogatepass")


def _place(program: Program) -> str:
    """Where the source lies inside the container."""
    if program.entry is not None:
        return program.entry.path
    return program.path or _SCRIPT


@dataclass(frozen=True, slots=True)
class _Task:
    """What stays the same from case to case."""

    program: Program
    environment: PythonEnvironment
    limits: Limits
    cpu: int | None

    def run(self, supply: _Supply, case: TestCase | CallCase) -> CaseReport:
        """One case; once more in a new container if the sandbox itself failed."""
        try:
            return self._attempt(supply.get(), case)
        except SandboxInternalError:
            supply.discard()
        try:
            return self._attempt(supply.get(), case)
        except SandboxInternalError as error:
            nothing = Measurement(0.0, 0.0, 0, 0.0)
            return CaseReport(Verdict.INTERNAL_ERROR, str(error), nothing, None, None, b"", "")

    def _attempt(self, container: Container, case: TestCase | CallCase) -> CaseReport:
        if isinstance(case, CallCase):
            tail, stdin = prepare_call(self.program, case)
            raw = container.run(self._command(tail, case.hash_seed), stdin, self.limits, cpu=self.cpu)
            return _judge_calls(report_of_process(raw, self.limits), raw, case)
        command = self._command((_place(self.program), *self.program.arguments))
        if self.environment.import_paths:
            command.environment["PYTHONPATH"] = ":".join(self.environment.import_paths)
        raw = container.run(command, case.stdin, self.limits, cpu=self.cpu)
        return _judge_output(report_of_process(raw, self.limits), case)

    def _command(self, tail: tuple[str, ...], hash_seed: int = 0) -> Command:
        variables = python_variables(self.environment, hash_seed)
        return Command((self.environment.executable, *tail), variables, self.environment.working_directory)


def _judge_output(report: CaseReport, case: TestCase) -> CaseReport:
    if report.verdict is not Verdict.ACCEPTED or case.expected_stdout is None:
        return report
    difference = explain_difference(case.expected_stdout, report.stdout)
    if difference is None:
        return report
    return replace(report, verdict=Verdict.WRONG_ANSWER, detail=difference)


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
    )

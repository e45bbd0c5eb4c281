"""`POST /execute`: the fields of the original Monolith, so that its clients can be pointed here.

What they get is measured in our way: `integral` is the area under the memory curve, and `duration` leaves out the
compiler. `verdict` and `detail` are additions. Differences that no client should miss: libraries cannot be installed,
for a program has no network; and a program that was ended for its memory or output, or that does not compile, has the
status `error` and never `success`.
"""

import dataclasses
import uuid
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.sandbox import Sandbox
from afterburner.sandbox.service.settings import Settings
from afterburner.sandbox.service_schema import Text
from afterburner.sandbox.types import CaseReport, Compilation, Limits, Program, Verdict
from afterburner.sandbox.verdicts import report_of_process

_SYNONYMS = {"python3": "python", "golang": "go", "c++": "cpp", "js": "javascript"}
_TIMED_OUT = "Task timed out."
_RAN = (Verdict.ACCEPTED, Verdict.RUNTIME_ERROR)  # to their own end, be it a crash


class ExecuteRequest(BaseModel):
    """A program to run once. Times are seconds."""

    model_config = ConfigDict(extra="ignore")

    code: Text = Field(min_length=1)
    language: Text = Field(max_length=40)
    libraries: tuple[str, ...] | None = Field(default=(), description="has to be empty: a program has no network")
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 30.0
    run_profiling: bool = Field(
        default=False,
        validation_alias=AliasChoices("run_profiling", "run_memory_profile"),
        description="fill `log`",
    )
    stdin: Text | None = Field(default=None, validation_alias=AliasChoices("stdin", "std_in"))


class TimeV(BaseModel):
    """What `time -v` would have said of these."""

    elapsed_time_seconds: float
    cpu_percent: int
    max_resident_set_kb: int
    exit_status: int


class Output(BaseModel):
    """What the program printed and used."""

    stdout: str
    stderr: str
    duration: float = Field(description="wall time in ms")
    peak_memory: int = Field(description="KiB")
    integral: float = Field(description="area under the memory curve, KiB·ms")
    log: tuple[tuple[int, int], ...] = Field(description="time in ns and memory in KiB, if run_profiling")
    time_v: TimeV


class ExecuteResponse(BaseModel):
    """What became of the program."""

    task_id: str
    status: Literal["success", "timeout", "error"]
    error: str | None
    output_dict: Output | None
    verdict: Verdict
    detail: str


@dataclasses.dataclass(frozen=True, slots=True)
class Execution:
    """A request within the bounds of the service."""

    program: Program
    stdin: bytes
    limits: Limits
    with_log: bool

    def run(self, sandbox: Sandbox, cpu: int) -> ExecuteResponse:
        """What became of it. For a thread."""
        raw = sandbox.run_alone(self.program, self.limits, stdin=self.stdin, cpu=cpu)
        if isinstance(raw, Compilation):
            return _response(Verdict.COMPILE_ERROR, raw.message, None)
        report = report_of_process(raw, self.limits)
        return _response(report.verdict, report.detail, _output(report, raw.memory_samples if self.with_log else ()))


def execution_of(request: ExecuteRequest, settings: Settings) -> Execution:
    """The request as something to run.

    Raises:
        UsageError: it asks for libraries.
    """
    if request.libraries:
        raise UsageError(
            "Libraries cannot be installed: programs in this sandbox have no network. Leave `libraries` empty; what "
            "the service's interpreter has can be imported."
        )
    most = settings.limits
    limits = Limits(
        wall_time_s=min(request.timeout, most.wall_time_s),
        cpu_time_s=min(request.timeout, most.cpu_time_s),
        memory_kib=min(Limits().memory_kib, most.memory_kib),
        output_bytes=min(Limits().output_bytes, most.output_bytes),
    )
    language = _SYNONYMS.get(request.language.lower(), request.language.lower())
    return Execution(Program(language, request.code), (request.stdin or "").encode(), limits, request.run_profiling)


def _response(verdict: Verdict, detail: str, output: Output | None) -> ExecuteResponse:
    status: Literal["success", "timeout", "error"] = "success"
    error = None
    if verdict is Verdict.TIME_LIMIT:
        status, error, output = "timeout", _TIMED_OUT, None
    elif verdict not in _RAN:
        status, error = "error", f"{verdict}: {detail}"
    return ExecuteResponse(
        task_id=str(uuid.uuid4()), status=status, error=error, output_dict=output, verdict=verdict, detail=detail
    )


def _output(report: CaseReport, samples: Sequence[tuple[float, int]]) -> Output:
    used = report.measurement
    return Output(
        stdout=report.stdout.decode(errors="replace"),
        stderr=report.stderr,
        duration=used.wall_time_s * 1000,
        peak_memory=used.peak_memory_kib,
        integral=used.memory_integral_kib_s * 1000,
        log=tuple((int(time_s * 1e9), kib) for time_s, kib in samples),
        time_v=TimeV(
            elapsed_time_seconds=used.wall_time_s,
            cpu_percent=round(100 * used.cpu_time_s / used.wall_time_s) if used.wall_time_s else 0,
            max_resident_set_kb=used.peak_memory_kib,
            exit_status=report.exit_code if report.exit_code is not None else 128 + (report.signal or 0),
        ),
    )

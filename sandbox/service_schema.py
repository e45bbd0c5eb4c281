"""What travels between the service and its clients as JSON: requests, reports and errors; the OpenAPI page, too.

The field names are those of `afterburner.sandbox.types`; times are seconds, memory is KiB (1024 bytes).
"""

import base64
import binascii
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from afterburner.sandbox.errors import (
    AfterburnerError,
    CheckerError,
    SandboxInternalError,
    SandboxUnavailableError,
    UsageError,
)
from afterburner.sandbox.types import Verdict

KINDS: Mapping[str, type[AfterburnerError]] = {  # `Problem.kind`, and what a client raises for it
    "usage": UsageError,
    "checker": CheckerError,
    "unavailable": SandboxUnavailableError,
    "internal": SandboxInternalError,
}
_MOST = (1 << 33) - 1  # what the protocol between host and meter can hold


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("a lone surrogate is not text; send other bytes in base64") from error
    return text


Text = Annotated[str, AfterValidator(_encodable)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Read(BaseModel):
    """Made from the dataclass of the same fields."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


class Blob(_Strict):
    """Bytes: UTF-8 text as it is, anything else in base64."""

    content: Text
    base64: bool = Field(default=False, description="whether `content` is base64 and not the text itself")

    @classmethod
    def of(cls, data: bytes) -> "Blob":
        """The shortest way to write these bytes."""
        try:
            return cls(content=data.decode())
        except UnicodeDecodeError:
            return cls(content=base64.b64encode(data).decode("ascii"), base64=True)

    @model_validator(mode="after")
    def _decodes(self) -> "Blob":
        if self.base64:
            try:
                base64.b64decode(self.content, validate=True)
            except binascii.Error as error:
                raise ValueError(f"content is not base64: {error}") from error
        return self

    def data(self) -> bytes:
        """The bytes."""
        return base64.b64decode(self.content) if self.base64 else self.content.encode()


def _as_blob(value: object) -> object:
    match value:
        case str():
            return Blob(content=value)
        case bytes():
            return Blob.of(value)
        case Blob() | dict():
            return value
        case _:
            raise ValueError('Input should be a valid string, or {"content": "…", "base64": true} if it is not UTF-8')


Bytes = Annotated[Blob, BeforeValidator(_as_blob, json_schema_input_type=str | Blob)]
Count = Annotated[int, Field(gt=0, le=_MOST)]
Seconds = Annotated[float, Field(gt=0, le=_MOST, allow_inf_nan=False)]
Tolerance = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class ProgramModel(_Strict):
    """A program: source text that reads stdin and writes stdout."""

    language: Text = Field(max_length=40, examples=["python", "cpp"])
    source: Text
    arguments: tuple[Annotated[Text, Field(pattern=r"^[^\x00]*$")], ...] = ()


class CaseModel(_Strict):
    """One input, and the output expected for it, which stays outside the sandbox. Null: it is not judged."""

    stdin: Bytes = Blob(content="")
    expected_stdout: Bytes | None = None
    name: Text = Field(default="", max_length=200)


class LimitsModel(_Strict):
    """What one case may use; what is left out has a default, and no value goes beyond the service's own maximum."""

    wall_time_s: Seconds | None = None
    cpu_time_s: Seconds | None = None
    memory_kib: Count | None = None
    output_bytes: Count | None = None
    processes: Count | None = None
    file_kib: Count | None = None
    open_files: Count | None = None


class ExactModel(_Strict):
    """Byte for byte."""

    kind: Literal["exact"]


class LinesModel(_Strict):
    """Line by line; whitespace at the ends of lines and empty lines at the very end do not count."""

    kind: Literal["lines"]


class TokensModel(_Strict):
    """Token by token, whatever whitespace is between them."""

    kind: Literal["tokens"]


class FloatsModel(_Strict):
    """Token by token, numbers within either tolerance."""

    kind: Literal["floats"]
    relative: Tolerance = 1e-6
    absolute: Tolerance = 1e-6


class CustomModel(_Strict):
    """A checker program: `checker INPUT OUTPUT ANSWER`, exit code 0 for a right answer, 1 or 2 for a wrong one."""

    kind: Literal["custom"]
    program: ProgramModel
    limits: LimitsModel = LimitsModel()
    accepts_equal: bool = Field(default=False, description="an output equal to the expected one is right, unchecked")


CheckerModel = Annotated[ExactModel | LinesModel | TokensModel | FloatsModel | CustomModel, Field(discriminator="kind")]


class RunRequest(_Strict):
    """A program and the cases that it is run on, each in a fresh process."""

    program: ProgramModel
    cases: tuple[CaseModel, ...] = Field(min_length=1)
    limits: LimitsModel = LimitsModel()
    checker: CheckerModel = LinesModel(kind="lines")
    stop_at_failure: bool = Field(default=False, description="leave out the cases after the first not accepted")
    stop_at_time_limit: bool | None = Field(  # None is not sent, so that an older service takes the request
        default=None, description="leave out the cases after the first that runs out of time"
    )
    keep_stdout_bytes: int = Field(default=65_536, ge=0, description="how much of each stdout the report quotes")


class AppliedLimits(_Read):
    """Limits, all of them."""

    wall_time_s: float
    cpu_time_s: float
    memory_kib: int
    output_bytes: int
    processes: int
    file_kib: int
    open_files: int


class MeasurementModel(_Read):
    """What a run used; `tier` names what watched limits and memory beside the sampler."""

    wall_time_s: float
    cpu_time_s: float
    peak_memory_kib: int
    memory_integral_kib_s: float
    samples: int
    sampling_interval_s: float
    tier: str


class CaseReportModel(_Read):
    """What became of one case; `detail` is one line for a person."""

    verdict: Verdict
    detail: str
    measurement: MeasurementModel
    exit_code: int | None
    signal: int | None
    stdout: Bytes = Field(description="the beginning of it")
    stdout_bytes: int = Field(description="how much it wrote")
    stderr: str


class CompilationModel(_Read):
    """What the compiler did and said."""

    succeeded: bool
    wall_time_s: float
    message: str
    artefact_bytes: int


class ReportModel(_Read):
    """The worst verdict of the cases, the sums of their times and integrals, and the largest peak."""

    verdict: Verdict
    measurement: MeasurementModel
    cases: tuple[CaseReportModel, ...]
    backend: str
    compilation: CompilationModel | None


class RunResponse(BaseModel):
    """The report, and the limits that were in force after the service's own maxima."""

    report: ReportModel
    limits: AppliedLimits


class LanguageModel(BaseModel):
    """A language, and what compiles or runs it here."""

    name: str
    version: str | None = Field(description="null: it is not available here")
    reason: str | None = Field(default=None, description="why it is not available, and what to do about it")


class QueueModel(BaseModel):
    """How busy the service is."""

    running: int
    waiting: int
    jobs: int = Field(description="the most that run at a time")
    bound: int = Field(description="the most that may wait")


class Health(BaseModel):
    """What this service is and can do."""

    status: Literal["ok", "stopping"]
    version: str
    backend: str
    tier: str
    languages: tuple[LanguageModel, ...]
    queue: QueueModel
    most: AppliedLimits = Field(description="limits that no request goes beyond")


class Problem(BaseModel):
    """Why there is no report. It says nothing about the program."""

    status: Literal["error"] = "error"
    kind: str = Field(examples=["usage", "internal", "busy"])
    error: str

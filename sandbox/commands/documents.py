"""What `sandbox run` gives as JSON; `RunDocument.published_form` is its JSON Schema.

Readers ignore keys that they do not know: new ones may appear without a new schema number. No NaN, no infinity.
"""

from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt

from afterburner.sandbox.terminal.document import Document
from afterburner.sandbox.types import Compilation, Limits, Verdict

Amount = NonNegativeInt | NonNegativeFloat


class Spread(Document):
    """One figure over the runs."""

    median: Amount
    min: Amount
    max: Amount


class MeasurementDocument(Document):
    """Each figure over the runs."""

    wall_time_s: Spread = Field(description="Wall time, seconds.")
    cpu_time_s: Spread = Field(description="CPU time, seconds.")
    peak_memory_kib: Spread = Field(description="Peak of the resident memory, KiB.")
    memory_integral_kib_s: Spread = Field(description="Resident memory summed over time, KiB*s.")


class CaseDocument(Document):
    """One run."""

    verdict: Verdict
    detail: str = Field(description="One line: the limit that was hit, the first difference.")
    wall_time_s: Amount = Field(description="Wall time, seconds.")
    cpu_time_s: Amount = Field(description="CPU time, seconds.")
    peak_memory_kib: Amount = Field(description="Peak of the resident memory, KiB.")
    memory_integral_kib_s: Amount = Field(description="Resident memory summed over time, KiB*s.")
    samples: NonNegativeInt = Field(description="Samples behind the memory figures.")
    sampling_interval_s: Amount = Field(description="Seconds between two of them.")


class RunDocument(Document):
    """The result of `afterburner-agent sandbox run --json`."""

    schema_: Literal[1] = Field(default=1, alias="schema", description="Version of this contract.")
    file: str = Field(description="Absolute path of the program.")
    language: str
    verdict: Verdict = Field(description="The worst of the runs' verdicts.")
    detail: str = Field(description="One line: the limit that was hit, the first difference, the first error.")
    exit_code: int | None = Field(description="Of the first run with this verdict; null: a signal, or nothing ran.")
    signal: int | None = Field(description="The signal that ended it, if one did.")
    measurement: MeasurementDocument | None = Field(description="Null if nothing ran.")
    runs: list[CaseDocument] = Field(description="Each run, in order; empty if the program does not compile.")
    compilation: Compilation | None = Field(description="What the compiler did and said; null: it is not compiled.")
    stdout: str = Field(description="The first MiB of what that run printed, with invalid UTF-8 replaced.")
    stdout_bytes: NonNegativeInt = Field(description="How much it printed.")
    stdout_complete: bool = Field(description="Whether `stdout` is all of it.")
    stderr: str = Field(description="What it wrote to stderr, bounded, without control characters.")
    limits: Limits = Field(description="What each run was allowed.")
    backend: str = Field(description="The sandbox and its version.")
    tier: str = Field(description="What watched limits and memory: `cgroup v2`, `cgroup v1` or `rlimits`.")

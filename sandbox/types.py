"""The words of the sandbox: what goes in, what comes out. Times are seconds, memory is KiB (1024 bytes)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from afterburner.sandbox.container_paths import SCRATCH

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Verdict(StrEnum):
    """What became of a program, in the order of `VERDICT_PRIORITY`."""

    ACCEPTED = "accepted"
    WRONG_ANSWER = "wrong_answer"
    RUNTIME_ERROR = "runtime_error"
    OUTPUT_LIMIT = "output_limit"
    MEMORY_LIMIT = "memory_limit"
    TIME_LIMIT = "time_limit"
    COMPILE_ERROR = "compile_error"
    INTERNAL_ERROR = "internal_error"


VERDICT_PRIORITY: tuple[Verdict, ...] = (
    Verdict.INTERNAL_ERROR,
    Verdict.COMPILE_ERROR,
    Verdict.TIME_LIMIT,
    Verdict.MEMORY_LIMIT,
    Verdict.OUTPUT_LIMIT,
    Verdict.RUNTIME_ERROR,
    Verdict.WRONG_ANSWER,
    Verdict.ACCEPTED,
)


KEPT_OUTPUT_BYTES = 64 * 1024 * 1024  # more of one stdout is judged as it streams by, but not held


@dataclass(frozen=True, slots=True)
class Limits:
    """What one test case may use. The paper's defaults are 90 s and 1 GiB; these suit interactive work."""

    wall_time_s: float = 10.0
    cpu_time_s: float = 10.0
    memory_kib: int = 1_048_576
    output_bytes: int = 16 * 1024 * 1024  # stdout and stderr together
    processes: int = 64  # processes and threads of the payload
    file_kib: int = 65_536  # everything it writes; the size of the writable tmpfs
    open_files: int = 256


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a run used.

    `tier` names what watched limits and memory beside the sampler: `cgroup v2`, `cgroup v1` or `rlimits`.
    """

    wall_time_s: float
    cpu_time_s: float
    peak_memory_kib: int
    memory_integral_kib_s: float
    samples: int = 0
    sampling_interval_s: float = 0.001
    tier: str = "rlimits"


@dataclass(frozen=True, slots=True)
class FunctionEntry:
    """A program that is entered by calling one function of a module.

    `module` is the dotted import name, `path` the absolute host path of its file (the same inside the sandbox),
    `qualname` the function: `name` or `Class.name`.
    """

    module: str
    path: str
    qualname: str


@dataclass(frozen=True, slots=True)
class Bind:
    """A read-only view of a host path inside the sandbox."""

    source: str
    destination: str


@dataclass(frozen=True, slots=True)
class PythonEnvironment:
    """The Python that a program runs under: an interpreter, what must be bound for it, and perhaps a staged project.

    `executable` is the path to start inside the sandbox. `binds` hold the interpreter's prefixes, its site-packages
    and the staged project at its original path. `import_paths` go to the front of `sys.path` (project roots).
    `site_packages` are the host folders that packages are installed in. `prefix` is what the interpreter is started
    by, such as a tool that counts its instructions. With an `image`, `executable` is a path inside it, and nothing of
    the host's own Python is bound.
    """

    executable: str
    version: tuple[int, int]
    binds: tuple[Bind, ...]
    import_paths: tuple[str, ...] = ()
    working_directory: str = SCRATCH
    site_packages: tuple[str, ...] = ()
    prefix: tuple[str, ...] = ()
    image: ImagePython | None = None


@dataclass(frozen=True, slots=True)
class Package:
    """Something installed: its name and version, and the top-level names that it is imported by."""

    name: str
    version: str
    modules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImagePython:
    """The Python of a Docker image, as it told of itself when it was started there.

    `identity` is the image's id. `variables` are those of the image's that a program keeps. `modules` are all top-level
    names that can be imported.
    """

    identity: str
    variables: tuple[tuple[str, str], ...]
    modules: frozenset[str]
    packages: tuple[Package, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """Source text, its language and how it is entered.

    Without `entry` the source is a script that reads stdin and writes stdout; `path` then is where the script
    seems to lie inside the sandbox (None: a name of the sandbox's own choosing). With `entry`, `source` is the
    text of the whole module, which replaces the file at `entry.path` for everything that imports it.
    """

    language: str
    source: str
    entry: FunctionEntry | None = None
    path: str | None = None
    arguments: tuple[str, ...] = ()
    environment: PythonEnvironment | None = None  # interpreter and project; None: our interpreter, no project


@dataclass(frozen=True, slots=True)
class TestCase:
    """One input text and the output expected for it. The expected output never enters the sandbox."""

    __test__ = False  # not a pytest class

    stdin: bytes = b""
    expected_stdout: bytes | Path | None = None  # a file is read in pieces; None: the output is not judged
    name: str = ""


@dataclass(frozen=True, slots=True)
class CallCase:
    """A batch of calls that one fresh process makes, in order, and the outcomes expected of them.

    Each call is an opaque blob made by the capture code inside a sandbox (`driver/call_blobs.py` tells what is in
    it); the host hashes and carries it and never decodes it. Outcomes are canonical encodings: two outcomes are
    equal if their bytes are. `float_tolerance`, `fixed_clock`, `known_names`, `most_items` and `breaks_off` change
    what is encoded, so the expected outcomes must come from a case with the same.

    With `known_names`, an outcome holds the call's effects, too: log records, warnings, calls of functions that came in
    with the arguments, what it leaves in the project's modules, classes and files, and what the same call does once
    more after its result was changed. No case of this kind may be timed. The names are those that occur in the
    original's text: what a rewrite keeps in the module under other names is its own.
    """

    calls: tuple[bytes, ...]
    expected_outcomes: tuple[bytes, ...] | None = None  # None: the outcomes are not judged
    passes: int = 1  # the whole batch is made this often, each time on fresh copies of the arguments
    cold_caches: bool = False  # functools caches of the module are emptied, untimed, before every call
    warm: bool = False  # each call is made before, untimed, short ones often: what is done only once is done then
    hash_seed: int = 0  # PYTHONHASHSEED of the process
    float_tolerance: float | None = None  # relative; None: floats have to be equal to the last bit (see `tolerance.py`)
    fixed_clock: bool = False  # clocks that the called code reads stand still, but for a step at each reading
    known_names: tuple[str, ...] | None = None  # None: only outcomes are encoded, no effects
    most_items: int | None = None  # taken from an iterator that a call returns; None: all, up to a million
    breaks_off: bool = False  # a generator that has more items than are taken is closed
    name: str = ""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What one call did: canonical bytes of its outcome, and the time of the call itself, summed over passes.

    `encoded` is JSON of the tagged tree that `driver/value_encoder.py` defines.
    """

    encoded: bytes
    cpu_time_s: float
    wall_time_s: float
    used_chance: bool = False  # it took of the system's source of chance (`fixed_clock` only: else it is not looked at)


@dataclass(frozen=True, slots=True)
class CaseReport:
    """What became of one case. `detail` is one line for a person: the limit that was hit, the first difference."""

    verdict: Verdict
    detail: str
    measurement: Measurement  # of the whole process
    exit_code: int | None  # None if a signal ended it
    signal: int | None
    stdout: bytes  # as it was written, up to `KEPT_OUTPUT_BYTES`; for calls: empty
    stderr: str  # decoded, bounded and scrubbed of control characters
    outcomes: tuple[CallOutcome, ...] = ()  # calls only
    call_measurement: Measurement | None = None  # calls only: the calls alone, without start-up and encoding
    difference_at: int | None = None  # calls only: index of the first call whose outcome differs
    first_pass_cpu_s: float | None = None  # calls only: the part of `call_measurement` that was used by the first pass
    unfit_calls: tuple[int, ...] = ()  # calls only: which have objects that this version's constructors cannot make
    stdout_bytes: int = 0  # how much it wrote


@dataclass(frozen=True, slots=True)
class Compilation:
    """What the compiler did and said, before and apart from what is measured."""

    succeeded: bool
    wall_time_s: float
    message: str  # decoded, bounded and scrubbed
    artefact_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a program: the worst verdict of its cases, and what they used together.

    The measurement sums times and integrals over the cases and takes the largest peak.
    """

    verdict: Verdict
    measurement: Measurement
    cases: tuple[CaseReport, ...]
    backend: str
    compilation: Compilation | None = None  # None: the language is not compiled


@dataclass(frozen=True, slots=True)
class ContainerSpec:
    """One container: what it sees, and the most that any of its runs may use. `image` is for Docker alone."""

    binds: tuple[Bind, ...] = ()
    writable_kib: int = 65_536
    image: str | None = None  # None: the machine's own system folders
    memory_kib: int = 1_048_576
    processes: int = 64


@dataclass(frozen=True, slots=True)
class Command:
    """One process to start inside a container."""

    argv: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    working_directory: str = SCRATCH


@dataclass(frozen=True, slots=True)
class RawResult:
    """What the meter and the host's own clock say of one process tree.

    `limit` is None or one of `wall`, `cpu`, `memory`, `output`, `processes`, `files`. `stdout` is the first part of a
    long output, `stdout_bytes` the length of all of it. `memory_samples` are (CLOCK_MONOTONIC seconds, resident KiB of
    the whole tree), true start and end included.
    """

    exit_code: int | None
    signal: int | None
    limit: str | None
    measurement: Measurement
    stdout: bytes
    stderr: bytes
    memory_samples: Sequence[tuple[float, int]] = ()
    stdout_bytes: int = 0

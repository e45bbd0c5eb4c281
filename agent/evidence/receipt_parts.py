"""The parts of a receipt, with what each field may be: a receipt is read from files of unknown origin."""

import ast
import base64
import binascii
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, Strict

from afterburner.agent.judge.measuring.sampling import SampleMode
from afterburner.agent.option_kinds import LARGEST_SEED, MOST_STATED
from afterburner.agent.types import Objective

MAX_DATA_BYTES = 64 * 1024 * 1024
MAX_TEXT = 4_000_000  # characters of a source
_MOST_ASSUMED = 2 * MOST_STATED
_MAX_WORDS = 1_000  # characters of a description, a path, a name
_HASH = re.compile(r"[0-9a-f]{64}")


def _words(text: str) -> str:
    if len(text) > _MAX_WORDS:
        raise ValueError(f"it is not a text of at most {_MAX_WORDS} characters")
    return text


def _dotted_name(text: str) -> str:
    if not all(part.isidentifier() for part in text.split(".")):
        raise ValueError("it is not a dotted name")
    return text


def _path_inside(path: str) -> str:
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\\" in path or "\0" in path:
        raise ValueError("it is not a path inside the project")
    if PurePosixPath(path).is_absolute():
        raise ValueError("it is not a relative path")
    return path


def _folder_inside(path: str) -> str:
    return path if path == "." else _path_inside(path)


def _hash(text: str) -> str:
    if not _HASH.fullmatch(text):
        raise ValueError("it is not a SHA-256")
    return text


def _expression(text: str) -> str:
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError("it is not a Python expression") from error
    return text


def _decoded(value: object) -> object:
    if isinstance(value, bytes):  # made by this program
        return value
    if not isinstance(value, str) or len(value) > MAX_DATA_BYTES * 4 // 3 + 4:
        raise ValueError(f"it is not base64 of at most {MAX_DATA_BYTES >> 20} MiB")
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("it is not base64") from error


Words = Annotated[str, AfterValidator(_words)]
DottedName = Annotated[Words, AfterValidator(_dotted_name)]
PathInside = Annotated[Words, AfterValidator(_path_inside)]
FolderInside = Annotated[Words, AfterValidator(_folder_inside)]
Expression = Annotated[Words, AfterValidator(_expression)]
Hash = Annotated[str, AfterValidator(_hash)]
Base64 = Annotated[bytes, BeforeValidator(_decoded)]
Figure = Annotated[float, Strict(), Field(ge=0, le=1e15)]
Whole = Annotated[int, Strict(), Field(ge=0, le=10**15)]
Flag = Annotated[bool, Strict()]


@dataclass(frozen=True, slots=True)
class ReceiptTarget:
    """What was rewritten. `file` and `import_root` are relative to the project's root, with `/`."""

    file: PathInside
    function: DottedName | None
    module: DottedName
    import_root: FolderInside
    language: Words = "python"


@dataclass(frozen=True, slots=True)
class ReceiptInput:
    """One input. Of a call, `data` is the opaque blob and `outcome` the hash of what the original did.

    Of a stdin/stdout case, `data` is stdin, `outcome` the hash of the expected output, and `expected` that output.
    """

    kind: Literal["call", "case"]
    data: Base64
    outcome: Hash
    origin: Words
    description: Words
    held_out: Flag
    position: Annotated[Whole, Field(le=10**9)]
    cpu_time_s: Figure
    expected: Base64 | None = None


@dataclass(frozen=True, slots=True)
class ReceiptFigures:
    """What was used for the calls: seconds, KiB, KiB·s."""

    cpu_time_s: Figure
    wall_time_s: Figure
    peak_memory_kib: Figure
    memory_integral_kib_s: Figure


@dataclass(frozen=True, slots=True)
class ReceiptSample:
    """One process, and how it ran: by itself, or together with one of the other side."""

    company: SampleMode
    work: ReceiptFigures


Samples = Annotated[tuple[ReceiptSample, ...], Field(max_length=1_000)]


@dataclass(frozen=True, slots=True)
class ReceiptBlock:
    """Samples of both sides, taken side by side. `used` is what the decision was made of, for each side."""

    original: Samples
    winner: Samples
    used: tuple[ReceiptFigures, ReceiptFigures]


@dataclass(frozen=True, slots=True)
class ReceiptSettings:
    """What the decision was made by. `float_tolerance` and `fixed_clock` say how calls are judged, see `CallCase`.

    `assume` holds Python expressions over the parameters; every made input keeps to them.
    """

    objective: Objective
    min_effect: Annotated[Figure, Field(le=100)]
    seed: Annotated[Whole, Field(le=LARGEST_SEED)]
    float_tolerance: Annotated[Figure, Field(le=0.1)] | None = None  # beyond 0.1, two results are not the same
    fixed_clock: Flag = False
    assume: Annotated[tuple[Expression, ...], Field(max_length=_MOST_ASSUMED)] = ()

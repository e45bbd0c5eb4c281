"""Reads receipts. A receipt comes from anywhere: nothing in it is believed that was not looked at."""

import json
import stat
from pathlib import Path
from typing import Annotated, Any, NoReturn, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    PlainValidator,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.evidence.project_files import ProjectFile
from afterburner.agent.evidence.receipt import (
    KIND,
    SCHEMA,
    Receipt,
    seal_of,
    sha256_of,
    text_sha256,
)
from afterburner.agent.evidence.receipt_parts import (
    MAX_TEXT,
    Figure,
    Hash,
    PathInside,
    ReceiptBlock,
    ReceiptInput,
    ReceiptSettings,
    ReceiptTarget,
    Whole,
    Words,
)
from afterburner.agent.judge.version_comparison import MEASURED, ComparisonDecision
from afterburner.agent.types import Decision, Gain, Machine
from afterburner.sandbox import UsageError
from afterburner.sandbox.form_mistakes import first_mistake
from afterburner.sandbox.languages import LANGUAGES

MAX_RECEIPT_BYTES = 96 * 1024 * 1024
MAX_INPUTS = 500
MAX_BLOCKS = 10_000
MAX_FILES = 100_000
_NEXT = "Ask whoever made it for the file as it was written, or write one with `afterburner-agent run FILE --receipt`."


class ReceiptError(UsageError):
    """A receipt that cannot be used: no receipt, damaged, changed, or absurd."""


def read_receipt(path: Path) -> Receipt:
    """Read and check a receipt. Nothing of its inputs is decoded: they are opened in a sandbox alone.

    Raises:
        ReceiptError: the file is no receipt, is damaged, does not match its hashes, or asks for the absurd.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ReceiptError(f"{path} is not a regular file.")
        if status.st_size > MAX_RECEIPT_BYTES:
            raise ReceiptError(f"{path}: larger than {MAX_RECEIPT_BYTES >> 20} MiB, too large for a receipt.")
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise ReceiptError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}. {_NEXT}") from error
    try:
        return parse_receipt(data)
    except ReceiptError as error:
        raise ReceiptError(f"{path}: {error} {_NEXT}") from error


def parse_receipt(data: bytes) -> Receipt:
    """As `read_receipt`, from the file's bytes."""
    try:
        document = json.loads(data, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ReceiptError(f"this is not JSON ({error}).") from error
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise ReceiptError("this is JSON, but not a receipt of afterburner-agent.")
    if document.get("schema") != SCHEMA:
        raise ReceiptError(f"it has schema {document.get('schema')!r}, and this program reads schema {SCHEMA}.")
    try:
        sealed = document.get("sha256") == seal_of(document)
    except (ValueError, RecursionError) as error:
        raise ReceiptError(f"it cannot be hashed: {error}.") from error
    if not sealed:
        raise ReceiptError("it does not match its own sha256: it was changed or damaged after it was written.")
    try:
        return _Form.model_validate(document).receipt()
    except ValidationError as error:
        raise ReceiptError(f"{first_mistake(error, 'inputs')}.") from error


class _Gain(BaseModel):
    """A gain with its interval."""

    ratio: Figure
    low: Figure
    high: Figure
    confidence: Figure
    pairs: Annotated[Whole, Field(ge=1)]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not (self.low <= self.ratio <= self.high and 0 < self.confidence <= 1):
            raise ValueError("the figures contradict one another")
        return self

    def gain(self) -> Gain:
        return Gain(**self.model_dump())


class _Machine(BaseModel):
    """Where it was measured."""

    system: Words
    cpu_model: Words
    cpus: Annotated[Whole, Field(ge=1)]
    memory_kib: Whole
    python: Words
    backend: Words
    tier: Words
    toolchain: Words = ""


class _File(BaseModel):
    """One of the project's files."""

    path: PathInside
    sha256: Hash


class _HashedText(BaseModel):
    """A text that matches its hash."""

    text: str
    sha256: Hash

    @model_validator(mode="after")
    def _unchanged(self) -> Self:
        if len(self.text) > MAX_TEXT:
            raise ValueError(f"it is not a text of at most {MAX_TEXT:,} characters")
        if text_sha256(self.text) != self.sha256:
            raise ValueError("the text does not match its sha256: it was changed after it was written")
        return self


def _unchanged_input(value: object, read: ValidatorFunctionWrapHandler) -> ReceiptInput:
    """An input that matches its hashes; nothing in it is decoded but for base64."""
    found: ReceiptInput = read(value)
    if not isinstance(value, dict) or sha256_of(found.data) != value.get("sha256"):
        raise ValueError("the data do not match their sha256: they were changed after they were written")
    if found.kind == "case" and (found.expected is None or sha256_of(found.expected) != found.outcome):
        raise ValueError("the expected output does not match its hash")
    return found


def _runnable(target: ReceiptTarget) -> ReceiptTarget:
    if target.language not in LANGUAGES or (target.function is not None and target.language != PYTHON):
        raise ValueError(f"its language is none of {', '.join(LANGUAGES)}, or has no functions that can be called")
    return target


def _decision(said: object) -> Decision | ComparisonDecision:
    """It has to be an offer, or the measured answer of a comparison."""
    if said == Decision.IMPROVED.value:
        return Decision.IMPROVED
    if not isinstance(said, str) or said not in MEASURED:
        raise ValueError("it claims no improvement and no measured comparison, so there is nothing to replay")
    return ComparisonDecision(said)


class _Form(BaseModel):
    """The whole document. Further keys are ignored."""

    target: Annotated[ReceiptTarget, AfterValidator(_runnable)]
    original: _HashedText
    winner: _HashedText
    inputs: Annotated[
        tuple[Annotated[ReceiptInput, WrapValidator(_unchanged_input)], ...], Field(max_length=MAX_INPUTS)
    ]
    project: Annotated[tuple[_File, ...], Field(max_length=MAX_FILES)]
    settings: ReceiptSettings
    decision: Annotated[Decision | ComparisonDecision, PlainValidator(_decision)]
    gain: _Gain
    held_out_gain: _Gain | None = None
    blocks: Annotated[tuple[ReceiptBlock, ...], Field(max_length=MAX_BLOCKS)]
    machine: _Machine
    program_version: Words

    @model_validator(mode="after")
    def _enough_inputs(self) -> Self:
        kinds = {(each.kind, each.held_out) for each in self.inputs}
        kind = "call" if self.target.function else "case"
        is_offer = isinstance(self.decision, Decision)  # a comparison selects nothing, so need not hold out any
        if kinds != {(kind, False), (kind, True)} and (is_offer or kinds != {(kind, False)}):
            raise ValueError(f"a receipt needs inputs of the kind {kind!r} alone, some of them held out")
        return self

    def receipt(self) -> Receipt:
        """What it says."""
        return Receipt(
            target=self.target,
            original=self.original.text,
            winner=self.winner.text,
            inputs=self.inputs,
            project=tuple(ProjectFile(each.path, each.sha256) for each in self.project),
            settings=self.settings,
            decision=self.decision,
            gain=self.gain.gain(),
            held_out_gain=None if self.held_out_gain is None else self.held_out_gain.gain(),
            blocks=self.blocks,
            machine=Machine(**self.machine.model_dump()),
            program_version=self.program_version,
        )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice")
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")

"""Reads receipts. A receipt comes from anywhere: nothing in it is believed that was not looked at."""

from __future__ import annotations

import base64
import binascii
import json
import re
import stat
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.evidence.project_files import ProjectFile
from afterburner.agent.evidence.receipt import (
    KIND,
    SCHEMA,
    Receipt,
    ReceiptBlock,
    ReceiptFigures,
    ReceiptInput,
    ReceiptSample,
    ReceiptSettings,
    ReceiptTarget,
    seal_of,
    sha256_of,
    text_sha256,
)
from afterburner.agent.judge.comparing import MEASURED, ComparisonDecision
from afterburner.agent.judge.measuring.sampling import SampleMode
from afterburner.agent.types import Decision, Gain, Machine, Objective
from afterburner.sandbox import UsageError
from afterburner.sandbox.languages import LANGUAGES

if TYPE_CHECKING:
    from pathlib import Path

MAX_RECEIPT_BYTES = 96 * 1024 * 1024
MAX_TEXT = 4_000_000  # characters of a source
MAX_WORDS = 1_000  # characters of a description, a path, a name
MAX_INPUTS = 500
MAX_BLOCKS = 10_000
MAX_SAMPLES = 1_000  # of one side of a block
MAX_FILES = 100_000
MAX_DATA_BYTES = 64 * 1024 * 1024
MAX_FIGURE = 1e15
MAX_MIN_EFFECT = 100.0
MAX_TOLERANCE = 0.1  # relative: beyond it, two results are not the same
LARGEST_SEED = 2**32 - 1
_NEXT = "Ask whoever made it for the file as it was written, or write one with `afterburner-agent run FILE --receipt`."
_HASH = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


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
    return _Part(document, "").receipt()


class _Part:
    """One object of the document, and where it stands, for messages."""

    def __init__(self, value: Any, place: str) -> None:
        self._place = place
        if not isinstance(value, dict):
            self._fail("it is not an object")
        self._value: dict[str, Any] = value

    def receipt(self) -> Receipt:
        """The whole document."""
        held_out = self._value.get("held_out_gain")
        receipt = Receipt(
            target=self.part("target").target(),
            original=self.part("original").hashed_text(),
            winner=self.part("winner").hashed_text(),
            inputs=tuple(part.input() for part in self.parts("inputs", MAX_INPUTS)),
            project=tuple(part.file() for part in self.parts("project", MAX_FILES)),
            settings=self.part("settings").settings(),
            decision=self.decision(),
            gain=self.part("gain").gain(),
            held_out_gain=None if held_out is None else self.part("held_out_gain").gain(),
            blocks=tuple(part.block() for part in self.parts("blocks", MAX_BLOCKS)),
            machine=self.part("machine").machine(),
            program_version=self.words("program_version"),
        )
        kinds = {(each.kind, each.held_out) for each in receipt.inputs}
        kind = "call" if receipt.target.function else "case"
        wanted = {(kind, False), (kind, True)}
        is_offer = isinstance(receipt.decision, Decision)  # a comparison selects nothing, so need not hold out any
        if not (kinds == wanted or (not is_offer and kinds == {(kind, False)})):
            self._fail(f"a receipt needs inputs of the kind {kind!r} alone, some of them held out", "inputs")
        return receipt

    def target(self) -> ReceiptTarget:
        """What was rewritten."""
        function = self._value.get("function")
        target = ReceiptTarget(
            file=self.path("file"),
            function=None if function is None else self.words("function"),
            module=self.words("module"),
            import_root=self.path("import_root", may_be_root=True),
            language=self.words("language") if "language" in self._value else PYTHON,
        )
        if target.language not in LANGUAGES or (target.function is not None and target.language != PYTHON):
            self._fail(f"it is none of {', '.join(LANGUAGES)}, or has no functions that can be called", "language")
        for key, name in (("function", target.function), ("module", target.module)):
            if name is not None and not _NAME.fullmatch(name):
                self._fail("it is not a dotted name", key)
        return target

    def hashed_text(self) -> str:
        """A text that matches its hash."""
        text = self._value.get("text")
        if not isinstance(text, str) or len(text) > MAX_TEXT:
            self._fail(f"it is not a text of at most {MAX_TEXT:,} characters", "text")
        if text_sha256(text) != self.hash("sha256"):
            self._fail("the text does not match its sha256: it was changed after it was written")
        return text

    def input(self) -> ReceiptInput:
        """One input, its data undecoded but for base64."""
        kind: Literal["call", "case"] = "case" if self._value.get("kind") == "case" else "call"
        data = self.data("data")
        if sha256_of(data) != self.hash("sha256"):
            self._fail("the data do not match their sha256: they were changed after they were written")
        expected = self.data("expected") if kind == "case" else None
        outcome = self.hash("outcome")
        if expected is not None and sha256_of(expected) != outcome:
            self._fail("the expected output does not match its hash")
        if self._value.get("kind") not in ("call", "case"):
            self._fail("it does not say which kind of input it is")
        return ReceiptInput(
            kind,
            data,
            outcome,
            self.words("origin"),
            self.words("description"),
            self.flag("held_out"),
            self.whole("position", 0, 10**9),
            self.figure("cpu_time_s"),
            expected,
        )

    def file(self) -> ProjectFile:
        """One of the project's files."""
        return ProjectFile(self.path("path"), self.hash("sha256"))

    def settings(self) -> ReceiptSettings:
        """What the decision was made by."""
        objective = self._value.get("objective")
        if not isinstance(objective, str) or objective not in set(Objective):
            self._fail(f"it is none of {', '.join(Objective)}", "objective")
        min_effect = self.figure("min_effect")
        if min_effect > MAX_MIN_EFFECT:
            self._fail(f"it is above {MAX_MIN_EFFECT:g}", "min_effect")
        tolerance = None if self._value.get("float_tolerance") is None else self.figure("float_tolerance")
        if tolerance is not None and tolerance > MAX_TOLERANCE:
            self._fail(f"it is above {MAX_TOLERANCE:g}", "float_tolerance")
        seed, clock = self.whole("seed", 0, LARGEST_SEED), self.flag("fixed_clock")
        return ReceiptSettings(Objective(objective), min_effect, seed, tolerance, clock)

    def decision(self) -> Decision | ComparisonDecision:
        """The decision, which has to be an offer, or the measured answer of a comparison."""
        said = self._value.get("decision")
        if said == Decision.IMPROVED.value:
            return Decision.IMPROVED
        if not isinstance(said, str) or said not in MEASURED:
            self._fail("it claims no improvement and no measured comparison, so there is nothing to replay", "decision")
        return ComparisonDecision(said)

    def gain(self) -> Gain:
        """A gain with its interval."""
        confidence = self.figure("confidence")
        gain = Gain(self.figure("ratio"), self.figure("low"), self.figure("high"), confidence, self.whole("pairs", 1))
        if not (gain.low <= gain.ratio <= gain.high and 0 < confidence <= 1):
            self._fail("the figures contradict one another")
        return gain

    def block(self) -> ReceiptBlock:
        """One block of samples."""
        sides = [tuple(part.sample() for part in self.parts(side, MAX_SAMPLES)) for side in ("original", "winner")]
        used = [part.figures() for part in self.parts("used", 2)]
        if len(used) != 2:
            self._fail("it is not the figures of each side", "used")
        return ReceiptBlock(sides[0], sides[1], (used[0], used[1]))

    def sample(self) -> ReceiptSample:
        """One sample."""
        company = self.words("company")
        if company not in set(SampleMode):
            self._fail(f"it is none of {', '.join(SampleMode)}", "company")
        return ReceiptSample(SampleMode(company), self.part("work").figures())

    def figures(self) -> ReceiptFigures:
        """What was used."""
        return ReceiptFigures(
            self.figure("cpu_time_s"),
            self.figure("wall_time_s"),
            self.figure("peak_memory_kib"),
            self.figure("memory_integral_kib_s"),
        )

    def machine(self) -> Machine:
        """Where it was measured."""
        words = {key: self.words(key) for key in ("system", "cpu_model", "python", "backend", "tier")}
        toolchain = self.words("toolchain") if "toolchain" in self._value else ""
        return Machine(**words, cpus=self.whole("cpus", 1), memory_kib=self.whole("memory_kib"), toolchain=toolchain)

    def part(self, key: str) -> _Part:
        """An object in this one."""
        return _Part(self._value.get(key), self._at(key))

    def parts(self, key: str, most: int) -> list[_Part]:
        """A list of objects."""
        value = self._value.get(key)
        if not isinstance(value, list) or len(value) > most:
            self._fail(f"it is not a list of at most {most:,}", key)
        return [_Part(each, f"{self._at(key)}[{number}]") for number, each in enumerate(value)]

    def words(self, key: str) -> str:
        """A short text."""
        value = self._value.get(key)
        if not isinstance(value, str) or len(value) > MAX_WORDS:
            self._fail(f"it is not a text of at most {MAX_WORDS} characters", key)
        return value

    def path(self, key: str, *, may_be_root: bool = False) -> str:
        """A path that stays below the project's root."""
        value = self.words(key)
        parts = value.split("/")
        if value == "." and may_be_root:
            return value
        if any(part in ("", ".", "..") for part in parts) or "\\" in value or "\0" in value:
            self._fail("it is not a path inside the project", key)
        if PurePosixPath(value).is_absolute():
            self._fail("it is not a relative path", key)
        return value

    def hash(self, key: str) -> str:
        """A SHA-256 in hexadecimal digits."""
        value = self._value.get(key)
        if not isinstance(value, str) or not _HASH.fullmatch(value):
            self._fail("it is not a SHA-256", key)
        return value

    def data(self, key: str) -> bytes:
        """Bytes in base64."""
        value = self._value.get(key)
        if not isinstance(value, str) or len(value) > MAX_DATA_BYTES * 4 // 3 + 4:
            self._fail(f"it is not base64 of at most {MAX_DATA_BYTES >> 20} MiB", key)
        try:
            return base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            self._fail("it is not base64", key)

    def figure(self, key: str) -> float:
        """A finite number of zero or more."""
        value = self._value.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_FIGURE:
            self._fail("it is not a number from 0 up", key)
        return float(value)

    def whole(self, key: str, least: int = 0, most: int = 10**15) -> int:
        """An integer within bounds."""
        value = self._value.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self._fail(f"it is not an integer from {least} to {most}", key)
        return value

    def flag(self, key: str) -> bool:
        """True or false."""
        value = self._value.get(key)
        if not isinstance(value, bool):
            self._fail("it is neither true nor false", key)
        return value

    def _at(self, key: str) -> str:
        return f"{self._place}.{key}" if self._place else key

    def _fail(self, problem: str, key: str = "") -> NoReturn:
        place = self._at(key) if key else self._place or "the document"
        raise ReceiptError(f"{place}: {problem}.")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice")
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")

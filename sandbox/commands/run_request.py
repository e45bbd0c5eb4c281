"""What `sandbox run` is asked to do, read from its options and checked before anything is started."""

from __future__ import annotations

import sys
import tokenize
from dataclasses import dataclass, replace
from enum import StrEnum
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from afterburner.sandbox.checkers import Exact, Floats, Lines, Tokens
from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.interpreter import find_interpreter, python_environment
from afterburner.sandbox.languages import LANGUAGES, find_language, language_of_suffix
from afterburner.sandbox.task import Task
from afterburner.sandbox.types import Limits, Program, TestCase

if TYPE_CHECKING:
    from afterburner.sandbox.checkers import Checker
    from afterburner.sandbox.sandbox import Sandbox

_STDIN = "-"
_MOST_BYTES = 512 * 1024 * 1024  # of a file; it is held in memory


class CheckerName(StrEnum):
    """The checkers that need nothing but their name."""

    LINES = "lines"
    EXACT = "exact"
    TOKENS = "tokens"
    FLOATS = "floats"


_CHECKERS: dict[CheckerName, Checker] = {
    CheckerName.LINES: Lines(),
    CheckerName.EXACT: Exact(),
    CheckerName.TOKENS: Tokens(),
    CheckerName.FLOATS: Floats(),
}


@dataclass(frozen=True, slots=True)
class Request:
    """One program, one case, and how often it is to be run."""

    file: Path
    program: Program
    case: TestCase
    limits: Limits
    checker: Checker
    repeat: int
    python: str | None

    def task(self, sandbox: Sandbox) -> Task:
        """What the sandbox is given.

        Raises:
            UsageError: the interpreter that the program is to run under does not, or the sandbox cannot show it.
        """
        program = self._under_its_python(sandbox) if self.program.language == "python" else self.program
        return Task(program, [self.case] * self.repeat, self.limits, self.checker)

    def _under_its_python(self, sandbox: Sandbox) -> Program:
        """Under the interpreter asked for, or the user's own; where the backend brings one, under that."""
        if self.python is None and sandbox.backend.python() is None:
            return self.program
        executable = find_interpreter(self.python, self.file.absolute().parent)
        return replace(self.program, environment=python_environment(sandbox, executable))


def read_request(
    file: str,
    arguments: tuple[str, ...],
    *,
    language: str | None,
    stdin: str | None,
    expect: str | None,
    checker: CheckerName | None,
    limits: Limits,
    repeat: int,
    python: str | None,
    backend: str,
) -> Request:
    """Reads the files that the options name.

    Raises:
        UsageError: a file that cannot be read, options that do not go together, a language that is not known.
    """
    if checker is not None and expect is None:
        raise UsageError("--checker says how to compare with an expected output: give --expect FILE, too.")
    name = find_language(language).name if language else _language_of(file)
    if python is not None and name != "python":
        raise UsageError(f"--python: this is a {name} program. Leave it out, or give --language python.")
    if python is not None and backend.startswith(("http://", "https://")):
        raise UsageError("--python: a service runs programs under the Python that it has. Leave it out.")
    expected = None if expect is None else _read("--expect", expect)
    case = TestCase(b"" if stdin is None else _read_stdin(stdin), expected)
    program = Program(name, _source(file, name), arguments=arguments)
    return Request(Path(file), program, case, limits, _CHECKERS[checker or CheckerName.LINES], repeat, python)


def _language_of(file: str) -> str:
    found = language_of_suffix(Path(file).suffix)
    if found is None:
        raise UsageError(f"{file}: the file name does not show the language. Give --language: {', '.join(LANGUAGES)}.")
    return found.name


def _source(file: str, language: str) -> str:
    data = _read("FILE", file)
    try:
        encoding = "utf-8"
        if language == "python":  # it may declare another one
            encoding = tokenize.detect_encoding(BytesIO(data).readline)[0]
        return data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise UsageError(f"{file}: this is no {language} source that can be read: {error}.") from error


def _read_stdin(place: str) -> bytes:
    if place != _STDIN:
        return _read("--stdin", place)
    return _bounded("--stdin", place, sys.stdin.buffer)


def _read(what: str, place: str) -> bytes:
    try:
        with Path(place).open("rb") as file:
            return _bounded(what, place, file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{what} {place}: cannot be read: {reason}.") from error


def _bounded(what: str, place: str, file: BinaryIO) -> bytes:
    """All of a file, be it a device or a pipe that never ends."""
    data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise UsageError(f"{what} {place}: is longer than {_MOST_BYTES >> 20} MiB. Give a shorter one.")
    return data

"""Compares an output with what was expected of it while it streams past: the parts that every comparison needs.

A comparison holds neither of the two: of the output it knows that it agrees with the expected one up to an offset,
so the latter, which can be read again at any place, stands in for both. Only what follows the first disagreement is
kept, as far as an explanation quotes it.
"""

from __future__ import annotations

import os
import stat
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.scrubbing import scrub_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WINDOW = 1 << 18  # bytes that are looked at together
WHITESPACE = b" \t\n\r\v\f"  # what bytes.split() and bytes.rstrip() take for it
SHOWN = 80  # characters of a line or token that an explanation quotes
_FIRST_PIECE = 256


class Survey(NamedTuple):
    """What lies before some place of the expected output."""

    newlines: int
    line_start: int  # offset at which the line of that place begins
    text_end: int  # offset after the last byte that is not whitespace; 0 if there is none
    text_lines: int  # lines up to that one


class Expected:
    """The expected output: bytes in memory, or a file that is read in pieces.

    Raises:
        UsageError: no regular file is there.
    """

    def __init__(self, content: bytes | Path) -> None:
        self._content = content
        if isinstance(content, Path):
            try:
                status = content.stat()
            except OSError as error:
                raise UsageError(f"The expected output cannot be read from {content}: {error.strerror}.") from error
            if not stat.S_ISREG(status.st_mode):
                raise UsageError(f"The expected output has to be in a regular file; {content} is none.")
            self.size = status.st_size
        else:
            self.size = len(content)

    def piece(self, offset: int, length: int) -> bytes:
        """The bytes from an offset on; fewer than asked for only at the end."""
        if isinstance(self._content, bytes):
            return self._content[offset : offset + length]
        file = os.open(self._content, os.O_RDONLY | os.O_CLOEXEC)  # no descriptor is held if a comparison is given up
        try:
            return os.pread(file, length, offset)
        finally:
            os.close(file)

    def pieces(self, start: int, end: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Offsets and bytes from one place to another: short pieces first, as what is looked for is often near."""
        end, length = self.size if end is None else end, _FIRST_PIECE
        while start < end and (piece := self.piece(start, min(length, end - start))):
            yield start, piece
            start, length = start + len(piece), min(WINDOW, 2 * length)

    def after(self, skipped: bytes, start: int) -> int:
        """The offset of the first byte from `start` on that is none of those; the size if there is no other."""
        for offset, piece in self.pieces(start):
            if rest := piece.lstrip(skipped):
                return offset + len(piece) - len(rest)
        return self.size

    def line_end(self, start: int) -> int:
        """The offset of the next newline from `start` on; the size if there is none."""
        for offset, piece in self.pieces(start):
            if (place := piece.find(b"\n")) >= 0:
                return offset + place
        return self.size

    def survey(self, end: int, start: int = 0) -> Survey:
        """What lies between two offsets, the first of which begins a line."""
        newlines, line_start, text_end, text_lines = 0, start, 0, 0
        for offset, piece in self.pieces(start, end):
            if text := piece.rstrip():
                text_end, text_lines = offset + len(text), newlines + text.count(b"\n") + 1
            if (place := piece.rfind(b"\n")) >= 0:
                newlines, line_start = newlines + piece.count(b"\n"), offset + place + 1
        return Survey(newlines, line_start, text_end, text_lines)


class Comparison(ABC):
    """An output that is compared as it comes. Where it is cut into chunks makes no difference to the result."""

    def __init__(self, expected: Expected) -> None:
        self._expected = expected
        self._at = 0  # up to this offset the expected output agrees with all that was printed

    def feed(self, chunk: bytes | memoryview) -> None:
        """Takes in the next part of the output."""
        for start in range(0, len(chunk), WINDOW):
            self._take(bytes(chunk[start : start + WINDOW]))

    @abstractmethod
    def finish(self) -> str | None:
        """One line on the first difference, now that the output has ended; None if there is none that counts."""

    @abstractmethod
    def _take(self, printed: bytes) -> None:
        """Takes in at most WINDOW bytes."""


class ExactComparison(Comparison):
    """Byte for byte."""

    def __init__(self, expected: Expected) -> None:
        super().__init__(expected)
        self._rest = b""  # what was printed from the first difference on

    def _take(self, printed: bytes) -> None:
        if not self._rest:
            piece = self._expected.piece(self._at, len(printed))
            same = len(piece) if piece == printed else common_length(piece, printed)
            self._at += same
            printed = printed[same:]
        self._rest += printed[: SHOWN + 1 - len(self._rest)]

    def finish(self) -> str | None:
        """See `Comparison.finish`."""
        wanted = self._expected.piece(self._at, SHOWN + 1)
        if not wanted and not self._rest:
            return None
        place = f"byte {self._at + 1} (line {self._expected.survey(self._at).newlines + 1})"
        if not self._rest:
            return f"{place}: expected {_bytes(wanted)}, but the output ends after {count(self._at, 'byte')}"
        if not wanted:
            return f"{place}: expected the output to end after {count(self._at, 'byte')}, got {_bytes(self._rest)}"
        return f"{place}: expected {_bytes(wanted)}, got {_bytes(self._rest)}"


def common_length(one: bytes, other: bytes) -> int:
    """How many bytes at the beginning are the same, by halving: the bytes are compared in C."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def quote(read: Callable[[int, int], bytes], length: int, first: int = 0) -> str:
    """A line or token of that length, cut to the part around its first difference; `read` takes offset and length."""
    start = max(0, first - SHOWN // 2) if length > SHOWN else 0
    shown = scrub_bytes(read(start, min(SHOWN, length - start))).replace("\n", " ").replace("\t", " ")
    return f"'{'…' if start else ''}{shown}{'…' if start + SHOWN < length else ''}'"


def count(number: int, thing: str) -> str:
    """A number of things, in words."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _bytes(text: bytes) -> str:
    """Bytes of which each counts, whitespace and control characters too."""
    return repr(text[:SHOWN])[1:] + ("…" if len(text) > SHOWN else "")

"""Compares outputs line by line: the usual way for problems that read stdin and write stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.sandbox.comparing import SHOWN, WHITESPACE, Comparison, common_length, count, quote

if TYPE_CHECKING:
    from afterburner.sandbox.comparing import Expected, Survey

_BLANKS = WHITESPACE.replace(b"\n", b"")


class LineComparison(Comparison):
    """Whitespace at the ends of lines and empty lines at the very end do not count; all else does, byte for byte.

    Both sides advance together as long as their bytes are the same. From the first other byte of a line on, whatever
    is left of that line has to be blank on both sides.
    """

    def __init__(self, expected: Expected) -> None:
        super().__init__(expected)
        self._rest: _Rest | None = None  # what was printed in this line from the first other byte on
        self._beyond = 0  # lines that were printed after all that was expected

    def _take(self, printed: bytes) -> None:
        while printed:
            if self._rest is not None:
                printed = self._take_rest(self._rest, printed)
                continue
            wanted = self._expected.piece(self._at, len(printed))
            if wanted == printed:
                self._at += len(printed)
                return
            passed, taken = _pass_equal_lines(wanted, printed)
            if taken == 0:
                passed = taken = common_length(wanted, printed)
                self._rest = _Rest() if taken < len(printed) else None
            self._at += passed
            printed = printed[taken:]

    def _take_rest(self, rest: _Rest, printed: bytes) -> bytes:
        """Takes in up to the end of the line; what is then left to be compared. After a difference, nothing is."""
        following = rest.add(printed)
        if not rest.ended or rest.text_length:
            rest.is_followed |= bool(following.strip())
            return b""
        line_end = self._expected.after(_BLANKS, self._at)
        if line_end == self._expected.size:
            blank = len(following) - len(following.lstrip())
            text_line = following.rfind(b"\n", 0, blank) + 1
            self._at, self._rest = line_end, _Rest()
            self._beyond += 1 + following.count(b"\n", 0, blank)
            return following[text_line:]
        if self._expected.piece(line_end, 1) != b"\n":
            rest.is_followed |= bool(following.strip())
            return b""
        self._at, self._rest = line_end + 1, None
        return following

    def finish(self) -> str | None:
        """See `Comparison.finish`."""
        rest = self._rest or _Rest()
        wanted_from = self._expected.after(WHITESPACE, self._at)
        is_more_wanted = wanted_from < self._expected.size
        is_more_printed = rest.text_length > 0 or rest.is_followed
        if not is_more_wanted and not is_more_printed:
            return None
        before = self._expected.survey(self._at)
        is_line_begun = before.text_end > before.line_start
        if is_more_printed and not is_more_wanted and (self._beyond or not is_line_begun):
            return self._explain_surplus(before, rest)
        is_line_wanted = wanted_from < self._expected.line_end(self._at)
        if not is_more_printed and not (is_line_begun and is_line_wanted):
            return self._explain_end(before)
        return self._explain_line(before, rest)

    def _explain_surplus(self, before: Survey, rest: _Rest) -> str:
        number = before.text_lines
        is_next = before.newlines + self._beyond == number
        begun = b"" if self._beyond else self._expected.piece(before.line_start, self._at - before.line_start)
        line = begun + rest.head if is_next else b""
        length = len(begun) + rest.text_length if is_next else 0
        got = quote(lambda start, most: line[start : start + most], length)
        return f"line {number + 1}: expected the output to end after {count(number, 'line')}, got {got}"

    def _explain_end(self, before: Survey) -> str:
        number = before.text_lines
        start = self._expected.line_end(before.text_end) + 1 if number else 0
        wanted = quote(lambda offset, most: self._expected.piece(start + offset, most), self._text_length(start))
        return f"line {number + 1}: expected {wanted}, but the output ends after {count(number, 'line')}"

    def _explain_line(self, before: Survey, rest: _Rest) -> str:
        start, same = before.line_start, self._at - before.line_start
        wanted_length = self._text_length(start)
        got_length = same + rest.text_length if rest.text_length else max(0, before.text_end - start)
        first = min(same, wanted_length, got_length)

        def read_got(offset: int, most: int) -> bytes:
            return (self._expected.piece(start + offset, min(most, same - offset)) + rest.head)[:most]

        wanted = quote(lambda offset, most: self._expected.piece(start + offset, most), wanted_length, first)
        got = quote(read_got, got_length, first)
        return f"line {before.newlines + 1}: expected {wanted}, got {got}"

    def _text_length(self, start: int) -> int:
        """The length of the expected line that begins there, without the whitespace at its end."""
        return max(0, self._expected.survey(self._expected.line_end(start), start).text_end - start)


class _Rest:
    """What was printed in a line after the part that agrees."""

    def __init__(self) -> None:
        self.head = b""  # as much of it as may be quoted
        self.text_length = 0  # without whitespace at the end
        self.ended = False  # the newline has come
        self.is_followed = False  # by a line that is not blank
        self._length = 0

    def add(self, printed: bytes) -> bytes:
        """Takes in up to the newline, which it drops; what follows it comes back."""
        if self.ended:
            return printed
        line, newline, following = printed.partition(b"\n")
        self.head += line[: SHOWN - len(self.head)]
        if text := line.rstrip():
            self.text_length = self._length + len(text)
        self._length += len(line)
        self.ended = bool(newline)
        return following


def _pass_equal_lines(wanted: bytes, printed: bytes) -> tuple[int, int]:
    """How much of both are whole lines that agree. Their first lines may be ends of lines that agreed so far."""
    lines = min(wanted.count(b"\n"), printed.count(b"\n"))
    wanted_lines, printed_lines = wanted.split(b"\n", lines)[:lines], printed.split(b"\n", lines)[:lines]
    wanted_texts, printed_texts = list(map(bytes.rstrip, wanted_lines)), list(map(bytes.rstrip, printed_lines))
    if wanted_texts != printed_texts:
        pairs = zip(wanted_texts, printed_texts, strict=True)
        lines = next(index for index, (one, other) in enumerate(pairs) if one != other)
    return sum(map(len, wanted_lines[:lines])) + lines, sum(map(len, printed_lines[:lines])) + lines

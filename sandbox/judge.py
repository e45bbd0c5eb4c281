"""Compares what a program printed with what was expected of it, in the host's process."""

from __future__ import annotations

_SHOWN = 80  # characters of a line that an explanation quotes


def explain_difference(expected: bytes, printed: bytes) -> str | None:
    """One line on the first difference between two outputs; None if there is none that counts.

    The comparison is the usual one for stdin/stdout problems: whitespace at the ends of lines and empty lines at the
    very end do not count, everything else does, byte for byte. An output that ends too early is a difference.
    """
    wanted, got = _lines(expected), _lines(printed)
    for number, (line, other) in enumerate(zip(wanted, got, strict=False), start=1):
        if line != other:
            return f"line {number}: expected {_quote(line, other)}, got {_quote(other, line)}"
    if len(got) < len(wanted):
        line = wanted[len(got)]
        return f"line {len(got) + 1}: expected {_quote(line)}, but the output ends after {_count(len(got))}"
    if len(got) > len(wanted):
        line = got[len(wanted)]
        return f"line {len(wanted) + 1}: expected the output to end after {_count(len(wanted))}, got {_quote(line)}"
    return None


def scrub(text: bytes, most: int = 65_536) -> str:
    """Text from a sandbox as it may be shown: decoded, bounded (the middle goes), without control characters."""
    if len(text) > most:
        half = most // 2
        text = text[:half] + f"\n[{len(text) - 2 * half} bytes left out]\n".encode() + text[-half:]
    decoded = text.decode("utf-8", errors="replace")
    return "".join(c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in decoded)


def _lines(output: bytes) -> list[bytes]:
    lines = [line.rstrip() for line in output.split(b"\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _count(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"


def _quote(line: bytes, other: bytes | None = None) -> str:
    """The line, cut to the part around its first difference from the other."""
    start = 0
    if other is not None and len(line) > _SHOWN:
        first = next(
            (i for i, (a, b) in enumerate(zip(line, other, strict=False)) if a != b), min(len(line), len(other))
        )
        start = max(0, first - _SHOWN // 2)
    shown = scrub(line[start : start + _SHOWN]).replace("\n", " ").replace("\t", " ")
    return f"'{'…' if start else ''}{shown}{'…' if start + _SHOWN < len(line) else ''}'"

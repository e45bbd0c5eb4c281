"""Lays the changed lines of a rewrite out as the project's own formatter would; all other lines stay byte for byte.

Which formatter a project uses is read from its settings, of which a few keys with plain values are taken over. What is
started is ruff's formatter, our own, isolated from the project's files; it does what black does.
"""

from __future__ import annotations

import re
import subprocess
import tomllib
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import ruff  # type: ignore[import-untyped] # it has no types

from afterburner.agent.code.line_matching import changes
from afterburner.agent.code.source_text import fingerprint, split_lines, usual_line_end
from afterburner.sandbox.host_commands import run_on_host

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import PurePosixPath

MAX_RANGES = 20
MAX_CHARS = 1_000_000  # that are read anew for all ranges together
_TIMEOUT_S = 20.0
_RUFF_FILES = (".ruff.toml", "ruff.toml")
_LINE_LENGTH, _INDENT_WIDTH = 88, 4  # what ruff and black take
_LONGEST_LINE = 320  # ruff takes no more
_WIDEST_INDENT = 16
_PYTHON = re.compile(r"py3(7|8|9|10|11|12|13|14)")


@dataclass(frozen=True, slots=True)
class Style:
    """What of a project's formatter settings is followed."""

    line_length: int = _LINE_LENGTH
    indent_width: int = _INDENT_WIDTH
    quotes: str = "double"  # double | single | preserve
    indents: str = "space"  # space | tab
    magic_trailing_comma: bool = True
    python: str = ""  # the oldest version that has to read the result: "py311"

    def options(self) -> list[str]:
        """The same as options of `ruff format`."""
        settings = [
            f"line-length={self.line_length}",
            f"indent-width={self.indent_width}",
            f'format.quote-style="{self.quotes}"',
            f'format.indent-style="{self.indents}"',
            f"format.skip-magic-trailing-comma={str(not self.magic_trailing_comma).lower()}",
            *([f'target-version="{self.python}"'] if self.python else []),
        ]
        return [part for setting in settings for part in ("--config", setting)]


def find_style(file: PurePosixPath, read: Callable[[PurePosixPath], str | None]) -> Style | None:
    """Find how a project lays its code out: the settings nearest to the file that name ruff or black.

    Args:
        file: the path of the file in its project.
        read: gives the text of a file of the project, None if there is none that may be read.

    Returns:
        None if no formatter is set up: then nothing is laid out anew.
    """
    for folder in file.parents:
        for name in _RUFF_FILES:
            table = _toml(read(folder / name))
            if table is not None:
                return _ruff_style(table)
        tools = (_toml(read(folder / "pyproject.toml")) or {}).get("tool")
        if isinstance(tools, dict) and isinstance(tools.get("ruff"), dict):
            return _ruff_style(tools["ruff"])
        if isinstance(tools, dict) and isinstance(tools.get("black"), dict):
            return _black_style(tools["black"])
    return None


def format_changed(original: str, text: str, style: Style) -> str:
    """Lay out the lines of `text` that are not in `original`.

    Returns:
        Text that is the same code, and differs from `text` in lines that are new in it only. Where the formatter
        fails, or would change other lines or the code, what it was given.
    """
    lines = split_lines(text)
    end = usual_line_end(lines)
    old = split_lines(original)
    meant = fingerprint(text)
    most = max(min(MAX_RANGES, MAX_CHARS // max(len(text), 1)), 1)
    for first, stop in reversed(_changed(old, lines)[:most]):
        formatted = _formatted(lines, first, stop, style)
        if formatted is None:
            continue
        result = _taken_over(lines, formatted, first, stop, end)
        if fingerprint("".join(result)) == meant:
            lines = result
    return "".join(lines)


def _changed(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The ranges of new lines: none of the lines that both texts begin or end with, however often they occur."""
    begin = _alike(zip(old, new, strict=False))
    end = _alike(zip(reversed(old[begin:]), reversed(new[begin:]), strict=False))
    found = changes(old[begin : len(old) - end], new[begin : len(new) - end])
    return [(begin + each.new_start, begin + each.new_end) for each in found if each.new_end > each.new_start]


def _alike(pairs: Iterable[tuple[str, str]]) -> int:
    """How many pairs are of equal lines, from the first on."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _formatted(lines: Sequence[str], first: int, stop: int, style: Style) -> list[str] | None:
    """Give the lines, without ends, after ruff has formatted those of a range; None if it cannot."""
    text = "".join(line.rstrip("\r\n") + "\n" for line in lines)
    try:
        command = [
            ruff.find_ruff_bin(), "format", "--isolated", "--no-cache", "--quiet", *style.options(),
            "--range", f"{first + 1}-{stop + 1}", "--stdin-filename", "changed.py", "-",
        ]  # fmt: skip
        done = run_on_host(command, stdin=text.encode(), timeout_s=_TIMEOUT_S)
        if done.returncode != 0 or not done.stdout:
            return None
        return [line.rstrip("\r\n") for line in split_lines(done.stdout.decode())]
    except (OSError, subprocess.TimeoutExpired, UnicodeError):
        return None


def _taken_over(lines: list[str], formatted: list[str], first: int, stop: int, end: str) -> list[str]:
    """Take over what the formatter made of the lines from `first` to `stop`; nothing if it made something of others.

    It may have moved a comment at the end of a line above or below; these lines stay all the same.
    """
    after = len(lines) - stop
    outside = [*formatted[:first], *formatted[max(first, len(formatted) - after) :]]
    if ["".join(line.split()) for line in outside] != [
        "".join(line.split()) for line in [*lines[:first], *lines[stop:]]
    ]:
        return lines
    result = [*lines[:first], *(line + end for line in formatted[first : len(formatted) - after]), *lines[stop:]]
    if stop == len(lines) and not lines[-1].endswith(("\n", "\r")):
        result[-1] = result[-1].rstrip("\r\n")
    return result


def _toml(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _ruff_style(table: Mapping[str, Any]) -> Style:
    section = table.get("format")
    how: Mapping[str, Any] = section if isinstance(section, dict) else {}
    quotes, indents = how.get("quote-style"), how.get("indent-style")
    version = table.get("target-version")
    return Style(
        line_length=_number(table.get("line-length"), _LONGEST_LINE, _LINE_LENGTH),
        indent_width=_number(table.get("indent-width"), _WIDEST_INDENT, _INDENT_WIDTH),
        quotes=quotes if quotes in {"single", "preserve"} else "double",
        indents="tab" if indents == "tab" else "space",
        magic_trailing_comma=how.get("skip-magic-trailing-comma") is not True,
        python=version if isinstance(version, str) and _PYTHON.fullmatch(version) else "",
    )


def _black_style(table: Mapping[str, Any]) -> Style:
    return Style(
        line_length=_number(table.get("line-length"), _LONGEST_LINE, _LINE_LENGTH),
        quotes="preserve" if table.get("skip-string-normalization") is True else "double",
        magic_trailing_comma=table.get("skip-magic-trailing-comma") is not True,
    )


def _number(value: object, most: int, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most else default

"""Which functions a text defines, found fast and also while it does not parse.

An editor asks at every move of the cursor, and mostly in the middle of typing. So this reads strings, comments,
brackets and indentation alone. What a run works on is found again by `afterburner.agent`, which parses.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from afterburner.agent.code.source_text import split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TOKEN = re.compile(
    r"""
    (?P<definition> (?: ^ | (?<=\r) ) [ \t\f]*+ (?: async [ \t]++ )? (?: def | class ) [ \t]++ \w )
    | (?P<quotes> \"{3} | '{3} )
    | " (?: [^"\\\r\n] | \\ (?: \r\n | [\s\S] ) )*+ "?
    | ' (?: [^'\\\r\n] | \\ (?: \r\n | [\s\S] ) )*+ '?
    | \# [^\r\n]*+
    | (?P<joined> \\ (?: \r\n | \r | \n ) )
    | \( [^()\[\]{}"'\#\r\n]*+ \)
    | (?P<open> [(\[{] )
    | (?P<close> [)\]}] )
    """,
    re.VERBOSE | re.MULTILINE,
)
_TEXT_ENDS = {
    quotes: re.compile(rf"(?:[^\\{quotes[0]}]|\\[\s\S]|{quotes[0]}(?!{quotes[1:]}))*+{quotes}")
    for quotes in ('"""', "'''")
}
# Lines that rarely occur inside a string.
_CODE = re.compile(
    r"(?:^|(?<=\r))(?:"
    r"(?:async[ \t]+)?def[ \t]+\w+[ \t]*[(\[]|class[ \t]+\w+[ \t]*[:(\[]|@\w|from[ \t]+[\w.]+[ \t]+import\b)",
    re.MULTILINE,
)
_REST_OF_LINE = re.compile(r"[^\r\n]*")
_NAME = re.compile(r"[ \t\f]*(?:async[ \t]+)?(?P<kind>def|class)[ \t]+(?P<name>\w+)")
_DECORATOR = re.compile(r"[ \t\f]*@[ \t]*(?P<name>[\w.]+)")
_ACCESSORS = frozenset({"property", "cached_property", "abstractproperty", "setter", "getter", "deleter"})
_TAB = 8  # columns, as Python counts


@dataclass(frozen=True, slots=True)
class OutlinedFunction:
    """A function that can be named to a run: of the module, or a method.

    Attributes:
        qualname: `name` or `Class.name`.
        first_line: of its decorators or `def`, from 0.
        def_line: where `def` stands.
        last_line: inclusive.
        is_accessor: whether it is (part of) a property, which nobody calls by its name.
        inner: functions inside it, which exist only while it runs, with their first and last lines.
    """

    qualname: str
    first_line: int
    def_line: int
    last_line: int
    is_accessor: bool = False
    inner: tuple[tuple[str, int, int], ...] = ()

    @property
    def root(self) -> str:
        """The name of the module that it is found by: its own, or that of its class."""
        return self.qualname.partition(".")[0]

    def inner_at(self, line: int) -> str:
        """The name of the innermost function inside it at a line; empty: there is none."""
        return next((name for name, first, last in reversed(self.inner) if first <= line <= last), "")


@dataclass(slots=True)
class _Open:
    """A definition whose end is still to come."""

    name: str
    is_class: bool
    columns: int
    first_line: int
    def_line: int
    is_accessor: bool
    inner: list[tuple[str, int, int]]


def outline(text: str) -> list[OutlinedFunction]:
    """The functions of a module and the methods of its classes, in their order."""
    lines = split_lines(text)
    return list(_functions(lines, continued_lines(text, lines)))


def name_span(line: str) -> tuple[int, int]:
    """Where the name of a function stands in its line of `def`, in code points."""
    found = _NAME.match(line)
    return found.span("name") if found is not None else (0, len(line.rstrip("\r\n")))


def function_at(functions: Sequence[OutlinedFunction], line: int) -> OutlinedFunction | None:
    """The function that contains a line (from 0)."""
    return next((each for each in functions if each.first_line <= line <= each.last_line), None)


def continued_lines(text: str, lines: Sequence[str]) -> set[int]:
    """The lines of a text that go on with what the one before them has begun, by their indices.

    A text in triple quotes that nobody closes is being typed. It may end anywhere, and so may each one before it: then
    those that would hold code end in their first line.
    """
    starts = [0, *accumulate(map(len, lines))]
    spans = _spans(text, may_hold_code=True)
    if spans is None:
        spans = _spans(text, may_hold_code=False) or []
    continued: set[int] = set()
    for start, end in spans:
        continued.update(range(bisect_right(starts, start), bisect_right(starts, end, hi=len(lines))))
    return continued


def _spans(text: str, *, may_hold_code: bool) -> list[tuple[int, int]] | None:
    """Where texts, brackets and joined lines begin, and the offset in their last line; None: a text is not closed.

    Without `may_hold_code` each text ends somewhere.
    """
    found: list[tuple[int, int]] = []
    depth, opened, at = 0, 0, 0
    while (token := _TOKEN.search(text, at)) is not None:
        at = token.end()
        kind = token.lastgroup
        if kind == "definition":  # a keyword: whatever was open before was not closed
            depth = 0
        elif token["quotes"]:
            end = _end_of_text(text, at, token["quotes"], may_hold_code=may_hold_code)
            if end is None:
                return None
            at = end
            found.append((token.start(), at - 1))
        elif kind == "open":
            opened = opened if depth else token.start()
            depth += 1
        elif kind == "close" and depth:
            depth -= 1
            if not depth:
                found.append((opened, token.start()))
        elif kind is None or kind == "joined":
            # A string in one pair of quotes, or a line, may go on behind a backslash.
            found.append((token.start(), at if kind == "joined" else at - 1))
    return found


def _end_of_text(text: str, start: int, quotes: str, *, may_hold_code: bool) -> int | None:
    """Where a text in triple quotes ends that begins at `start`; None: nowhere."""
    end = _TEXT_ENDS[quotes].match(text, start)
    if may_hold_code:
        return end.end() if end is not None else None
    if end is not None and _CODE.search(text, start, end.end()) is None:
        return end.end()
    rest = _REST_OF_LINE.match(text, start)
    return rest.end() if rest is not None else start


def _functions(lines: Sequence[str], continued: set[int]) -> Iterator[OutlinedFunction]:
    stack: list[_Open] = []
    decorators: list[tuple[int, str]] = []
    last_code = 0
    for number, line in enumerate(lines):
        if number in continued:
            last_code = number
            continue
        stripped = line.lstrip(" \t\f")
        if not stripped.strip() or stripped[0] == "#":
            continue
        columns = _columns(line[: len(line) - len(stripped)])
        while stack and stack[-1].columns >= columns:
            yield from _closed(stack, last_code)
        last_code = number
        decorator = _DECORATOR.match(line)
        if decorator is not None:
            decorators.append((number, decorator["name"]))
            continue
        found = _NAME.match(line)
        if found is not None:
            stack.append(
                _Open(
                    found["name"],
                    found["kind"] == "class",
                    columns,
                    decorators[0][0] if decorators else number,
                    number,
                    any(name.rpartition(".")[2] in _ACCESSORS for _, name in decorators),
                    [],
                )
            )
        decorators = []
    while stack:
        yield from _closed(stack, last_code)


def _closed(stack: list[_Open], last_line: int) -> Iterator[OutlinedFunction]:
    """End the innermost definition: yield it if it can be named, else note it in the function around it."""
    ended = stack.pop()
    if ended.is_class:
        return
    outer = next((each for each in stack if not each.is_class), None)
    if outer is not None:
        outer.inner.append((ended.name, ended.first_line, last_line))
        return
    qualname = ".".join([*(each.name for each in stack), ended.name])
    inner = tuple(sorted(ended.inner, key=lambda each: each[1]))
    yield OutlinedFunction(qualname, ended.first_line, ended.def_line, last_line, ended.is_accessor, inner)


def _columns(blanks: str) -> int:
    columns = 0
    for blank in blanks:
        columns = columns + 1 if blank == " " else 0 if blank == "\f" else columns + _TAB - columns % _TAB
    return columns

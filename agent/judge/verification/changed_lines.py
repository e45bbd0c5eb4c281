"""Which lines of a function a rewrite of it changed, as far as it matters for lines that no input reaches."""

from __future__ import annotations

import ast
import io
import tokenize
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from afterburner.agent.code.bindings import names_read
from afterburner.agent.code.locate import function_source, with_source
from afterburner.agent.code.source_text import split_lines
from afterburner.agent.code.statements import statement_ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import Target

MOST_LINES = 600  # of one function that are compared: beyond it, every line counts as changed
_EXITS = frozenset({"return", "raise", "continue", "break"})  # also behind the colon of an `if`
_NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


class _Line(NamedTuple):
    """A line on which code begins; a string of several lines belongs to the first."""

    number: int
    indent: int
    code: tuple[str, ...]


def changed_statements(target: Target, before: str, after: str, lines: Sequence[int]) -> tuple[int, ...]:
    """The lines, among these of the target's function in `before`, whose statement does something else in `after`.

    Both are texts of the whole file; see `changed_lines`. Without lines, they may be of any language.
    """
    if not lines:
        return ()
    one, other = (with_source(target, text, or_bound=True) for text in (before, after))
    return changed_lines(function_source(one), function_source(other), lines, one.first_line)


def parameters_used(target: Target, before: str, after: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names, among these parameters of the target's function, that the code of either version reads.

    That a rewrite leaves such code as it is says little: what is computed from the parameter may be used elsewhere.
    Both are texts of the whole file.
    """
    if not names:
        return ()
    sources = (function_source(with_source(target, text, or_bound=True)) for text in (before, after))
    read = {name for source in sources for name in names_read(ast.parse(source))}
    return tuple(name for name in names if name in read)


def changed_lines(before: str, after: str, lines: Sequence[int], first_line: int = 1) -> tuple[int, ...]:
    """The lines, among these, whose statement does something else in the other function.

    A statement is changed if one of its lines is, or the one before it (its condition, its `except`, or what comes
    first in its block), or the one behind it in its block; if something is put between these; if it moved to another
    block; or if there are more ways out before it, such as a `return`. Comments, blank lines and the indentation of the
    whole do not count.

    Args:
        before: the text of the function that the lines are of.
        after: the text of the other function.
        lines: numbers in the file, each of the first line of a statement.
        first_line: the number in the file of the first line of `before`.

    Raises:
        SyntaxError: there are lines, and `before` is not Python.
    """
    if not lines:
        return ()
    old, new = _lines_of(before), _lines_of(after)
    if max(len(old), len(new)) > MOST_LINES:
        return tuple(lines)
    places = _places(old, new)
    exits = places, _exits(old, set(places)), _exits(new, set(places.values()))
    ranges = statement_ranges(before)
    index = {line.number: at for at, line in enumerate(old)}
    changed = []
    for line in lines:
        own = line - first_line + 1
        first, last = ranges.get(own, (own, own))
        held = [index[number] for number in range(first, last + 1) if number in index]
        kept = bool(held) and all(_is_kept(at, old, new, places) and not _is_passed(at, *exits) for at in held)
        if not kept or _ends_otherwise(held[-1], old, new, places):
            changed.append(line)
    return tuple(changed)


def _lines_of(text: str) -> list[_Line]:
    unified = "".join(line.rstrip("\r\n") + "\n" for line in split_lines(text))  # as `ast` counts lines
    code: dict[int, list[str]] = {}
    indents: dict[int, int] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(unified).readline):
            if token.type not in _NO_CODE:
                code.setdefault(token.start[0], []).append(token.string)
                indents.setdefault(token.start[0], token.start[1])
    except (tokenize.TokenError, SyntaxError):
        plain = enumerate(split_lines(text), start=1)
        return [
            _Line(number, len(line) - len(line.lstrip()), (line.strip(),)) for number, line in plain if line.strip()
        ]
    return [_Line(number, indents[number], tuple(code[number])) for number in sorted(code)]


def _places(old: Sequence[_Line], new: Sequence[_Line]) -> dict[int, int]:
    """For each line that both functions have its place in the new one."""
    matcher = SequenceMatcher(None, [line.code for line in old], [line.code for line in new], autojunk=False)
    return {
        block.a + offset: block.b + offset for block in matcher.get_matching_blocks() for offset in range(block.size)
    }


def _is_kept(at: int, old: Sequence[_Line], new: Sequence[_Line], places: dict[int, int]) -> bool:
    """Whether the other function has this line, behind the same one and in the same block."""
    if at not in places:
        return False
    if at == 0:
        return places[at] == 0
    place = places[at]
    one, other = _line_before(at, old), _line_before(place, new)
    return places.get(one) == other and old[at].indent - old[one].indent == new[place].indent - new[other].indent


def _is_passed(at: int, places: dict[int, int], old_exits: Sequence[int], new_exits: Sequence[int]) -> bool:
    """Whether more ways lead out before this line than did, so that what led to it may not come there."""
    return sum(each < places[at] for each in new_exits) > sum(each < at for each in old_exits)


def _exits(lines: Sequence[_Line], kept: set[int]) -> list[int]:
    """The lines that leave the function or go round its loop early and that the other function does not have."""
    return [
        at
        for at, line in enumerate(lines)
        if at not in kept and _EXITS.intersection(line.code) and not _is_in_function(at, lines)
    ]


def _is_in_function(at: int, lines: Sequence[_Line]) -> bool:
    """Whether a line belongs to a function or a class that is defined inside."""
    indent = lines[at].indent
    for head in reversed(lines[1:at]):
        if head.indent < indent:
            if head.code[0] in {"def", "async", "class"}:
                return True
            indent = head.indent
    return False


def _line_before(at: int, lines: Sequence[_Line]) -> int:
    """The line that comes before one: of another branch of an `if` the condition, whatever stands in between."""
    if lines[at].code[0] in {"elif", "else"}:
        heads = (each for each in range(at - 1, -1, -1) if lines[each].indent <= lines[at].indent)
        head = next(heads, at - 1)
        if lines[head].code[0] in {"if", "elif"} and lines[head].indent == lines[at].indent:
            return head
    return at - 1


def _ends_otherwise(at: int, old: Sequence[_Line], new: Sequence[_Line], places: dict[int, int]) -> bool:
    """Whether another line than before is behind this one in its block, or none is any more."""
    behind, place = at + 1, places[at] + 1
    was_held = behind < len(old) and old[behind].indent >= old[at].indent
    is_held = place < len(new) and new[place].indent >= new[place - 1].indent
    return was_held != is_held or (was_held and places.get(behind) != place)

"""Which lines of a text a rewrite of it changed, as far as it matters for lines that no input reaches."""

from __future__ import annotations

import io
import tokenize
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from afterburner.agent.code.statements import statement_ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_PAIRS = 4_000_000  # of lines that are compared: beyond it, every line counts as changed


class _Line(NamedTuple):
    number: int
    indent: int
    text: str  # without the indentation


def changed_lines(before: str, after: str, lines: Sequence[int]) -> tuple[int, ...]:
    """Those of these first lines of statements that do something else in the other text.

    A statement is changed if one of its lines is, the `except` above it included; if something is put before or behind
    it in its block; or if it stands in another block than the line before it did. Comments, blank lines and the
    indentation of the whole do not count.

    Args:
        before: the text that the lines are of.
        after: the other text.
        lines: numbers from 1, each of the first line of a statement.
    """
    old, new = _lines_of(before), _lines_of(after)
    places = _places(old, new)
    if places is None:
        return tuple(lines)
    ranges = statement_ranges(before)
    index = {line.number: at for at, line in enumerate(old)}
    changed = []
    for line in lines:
        first, last = ranges.get(line, (line, line))
        own = [index[number] for number in range(first, last + 1) if number in index]
        if any(at not in places or _differs_before(at, old, new, places) for at in own) or (
            own and _grows_behind(own[-1], old, new, places)
        ):
            changed.append(line)
    return tuple(changed)


def _lines_of(text: str) -> list[_Line]:
    comments = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip():
                comments.add(token.start[0])
    except (tokenize.TokenError, SyntaxError):
        comments.clear()  # then comments count, too
    lines = enumerate(text.splitlines(), start=1)
    return [
        _Line(number, len(line) - len(line.lstrip()), line.strip())
        for number, line in lines
        if line.strip() and number not in comments
    ]


def _places(old: Sequence[_Line], new: Sequence[_Line]) -> dict[int, int] | None:
    """For each line that both texts have its place in the new one; None if there are too many to compare."""
    before, after = ([line.text for line in lines] for lines in (old, new))
    shorter = min(len(before), len(after))
    head = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    most = shorter - head
    tail = next((at for at in range(most) if before[-1 - at] != after[-1 - at]), most)
    inner = (before[head : len(before) - tail], after[head : len(after) - tail])
    if len(inner[0]) * len(inner[1]) > MOST_PAIRS:
        return None
    places = {at: at for at in range(head)}
    for block in SequenceMatcher(None, *inner, autojunk=False).get_matching_blocks():
        places |= {head + block.a + offset: head + block.b + offset for offset in range(block.size)}
    return places | {len(before) - 1 - at: len(after) - 1 - at for at in range(tail)}


def _differs_before(at: int, old: Sequence[_Line], new: Sequence[_Line], places: dict[int, int]) -> bool:
    """Whether something was put before this line in its block, or the line moved to another block."""
    place = places[at]
    if at - 1 in places and places[at - 1] == place - 1:
        return old[at].indent - old[at - 1].indent != new[place].indent - new[place - 1].indent
    if at and at - 1 not in places and old[at - 1].indent >= old[at].indent:
        return False  # the line before it was changed, which counts there
    known = next((places[earlier] for earlier in range(at - 1, -1, -1) if earlier in places), -1)
    return any(line.indent >= new[place].indent for line in new[known + 1 : place])


def _grows_behind(at: int, old: Sequence[_Line], new: Sequence[_Line], places: dict[int, int]) -> bool:
    """Whether a line was put behind this one in its block."""
    behind = places[at] + 1
    is_changed = at + 1 < len(old) and at + 1 not in places and old[at + 1].indent >= old[at].indent
    is_new = behind < len(new) and places.get(at + 1) != behind and not is_changed
    return is_new and new[behind].indent >= new[places[at]].indent

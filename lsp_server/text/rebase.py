"""Edits that were made for one text, moved to what the editor holds now."""

from __future__ import annotations

import ast
import warnings
from itertools import pairwise
from typing import TYPE_CHECKING

from afterburner.agent.code.line_matching import matching_pairs
from afterburner.agent.code.source_text import split_lines
from afterburner.agent.code.text_edits import TextEdit, apply_edits
from afterburner.lsp_server.text.outline import outline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from afterburner.lsp_server.text.outline import OutlinedFunction


def text_of_function(text: str, qualname: str) -> str | None:
    """The lines of the last function of that name, decorators included; None: there is none."""
    found = _find(text, qualname)
    return None if found is None else "".join(split_lines(text)[found.first_line : found.last_line + 1])


def rebased(before: str, edits: Sequence[TextEdit], now: str, qualname: str) -> tuple[TextEdit, ...] | None:
    """The edits as edits of the text that there is now; None where they do not fit it.

    They fit if the function is as it was, wherever it stands now, and if what comes out holds it as they make it. Edits
    elsewhere, such as a new import, also need a text that parses, with whole statements of the module where they were.

    Args:
        before: the text that they were made for.
        edits: of it.
        now: the text that the editor holds.
        qualname: of the function.
    """
    old, new = _find(before, qualname), _find(now, qualname)
    if old is None or new is None or text_of_function(before, qualname) != text_of_function(now, qualname):
        return None
    after = apply_edits(before, edits)
    if before == now:
        return tuple(edits)
    moved = list(_moved(before, edits, now, old, new.first_line - old.first_line))
    if any(each is None for each in moved):
        return None
    found = tuple(
        sorted((each for each in moved if each is not None), key=lambda each: (each.start_line, each.end_line))
    )
    if any(one.end_line > other.start_line for one, other in pairwise(found)):
        return None
    made = apply_edits(now, found)
    outside = [each for each in found if not _is_inside(each, new)]
    if outside and not (
        _whole_statements(now, _old_lines(outside)) and _whole_statements(made, _new_lines(found, outside))
    ):
        return None
    return found if text_of_function(made, qualname) == text_of_function(after, qualname) else None


def edits_inside(text: str, edits: Sequence[TextEdit], qualname: str) -> tuple[TextEdit, ...]:
    """Those of the edits of a text that lie in a function."""
    function = _find(text, qualname)
    return tuple(each for each in edits if function is not None and _is_inside(each, function))


def in_one_piece(text: str, edits: Sequence[TextEdit], qualname: str) -> tuple[TextEdit, ...]:
    """The edits of a text with those in a function made one, so that nobody can make a part of them.

    What stands between them is put there again.
    """
    inside = edits_inside(text, edits, qualname)
    if len(inside) < 2:
        return tuple(edits)
    first, last = min(each.start_line for each in inside), max(each.end_line for each in inside)
    moved = [TextEdit(each.start_line - first, each.end_line - first, each.new_text) for each in inside]
    whole = TextEdit(first, last, apply_edits("".join(split_lines(text)[first:last]), moved))
    outside = [each for each in edits if each not in inside]
    return tuple(sorted((*outside, whole), key=lambda each: (each.start_line, each.end_line)))


def _find(text: str, qualname: str) -> OutlinedFunction | None:
    return next((each for each in reversed(outline(text)) if each.qualname == qualname), None)


def _moved(
    before: str, edits: Sequence[TextEdit], now: str, function: OutlinedFunction, shift: int
) -> Iterator[TextEdit | None]:
    """Each edit at its place now; None: there is no such place."""
    places = dict(matching_pairs(split_lines(before), split_lines(now)))
    for edit in edits:
        if _is_inside(edit, function):
            yield TextEdit(edit.start_line + shift, edit.end_line + shift, edit.new_text)
            continue
        start = _place_of(edit, places)
        lines = range(edit.start_line, edit.end_line)
        is_there = start is not None and all(places.get(line) == start + line - edit.start_line for line in lines)
        yield TextEdit(start, start + len(lines), edit.new_text) if is_there and start is not None else None


def _place_of(edit: TextEdit, places: dict[int, int]) -> int | None:
    """The line that it begins at now: behind the line that stood before it, or where the line behind it stands."""
    if edit.start_line == 0 and not edit.end_line:
        return 0
    if edit.end_line > edit.start_line:
        return places.get(edit.start_line)
    if (before := places.get(edit.start_line - 1)) is not None:
        return before + 1
    return places.get(edit.start_line)


def _is_inside(edit: TextEdit, function: OutlinedFunction) -> bool:
    return function.first_line <= edit.start_line and edit.end_line <= function.last_line + 1


def _old_lines(edits: Sequence[TextEdit]) -> list[tuple[int, int]]:
    """The lines that edits take away, from 0: the first, and the one behind the last."""
    return [(each.start_line, each.end_line) for each in edits]


def _new_lines(edits: Sequence[TextEdit], wanted: Sequence[TextEdit]) -> Iterator[tuple[int, int]]:
    """The lines that those wanted bring, in the text that all edits make."""
    moved = 0
    for edit in edits:
        size = len(split_lines(edit.new_text))
        if edit in wanted:
            yield edit.start_line + moved, edit.start_line + moved + size
        moved += size - (edit.end_line - edit.start_line)


def _whole_statements(text: str, places: Iterable[tuple[int, int]]) -> bool:
    """Whether a text parses, and what stands at these places is whole statements of the module, blanks and comments."""
    lines = split_lines(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            body = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    spans = [(_first_line(each) - 1, each.end_lineno or each.lineno) for each in body]
    for start, end in places:
        if any(first < start < last or first < end < last for first, last in spans):
            return False
        kept = [number for first, last in spans for number in range(max(first, start), min(last, end))]
        rest = set(range(start, end)) - set(kept)
        if any(lines[each].strip() and not lines[each].lstrip().startswith("#") for each in rest if each < len(lines)):
            return False
    return True


def _first_line(statement: ast.stmt) -> int:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return min([statement.lineno, *(each.lineno for each in statement.decorator_list)])
    return statement.lineno

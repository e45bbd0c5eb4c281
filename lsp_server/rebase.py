"""Edits that were made for one text, moved to what the editor holds now."""

from __future__ import annotations

import ast
import warnings
from itertools import pairwise
from typing import TYPE_CHECKING

from afterburner.agent.code.line_matching import matching_pairs
from afterburner.agent.code.source_text import split_lines
from afterburner.agent.code.text_edits import TextEdit, apply_edits
from afterburner.lsp_server.outline import outline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.lsp_server.outline import OutlinedFunction


def text_of_function(text: str, qualname: str) -> str | None:
    """The lines of the last function of that name, decorators included; None: there is none."""
    found = _find(text, qualname)
    return None if found is None else "".join(split_lines(text)[found.first_line : found.last_line + 1])


def rebased(before: str, edits: Sequence[TextEdit], now: str, qualname: str) -> tuple[TextEdit, ...] | None:
    """The edits as edits of the text that there is now; None where they do not fit it.

    They fit if the function is as it was, wherever it stands now, if the lines around it that they replace are still
    there, and if what comes out reads as Python and holds the function as they make it.

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
    if _reads(now) and not _reads(made):
        return None
    return found if text_of_function(made, qualname) == text_of_function(after, qualname) else None


def _find(text: str, qualname: str) -> OutlinedFunction | None:
    return next((each for each in reversed(outline(text)) if each.qualname == qualname), None)


def _moved(
    before: str, edits: Sequence[TextEdit], now: str, function: OutlinedFunction, shift: int
) -> Iterator[TextEdit | None]:
    """Each edit at its place now; None: there is no such place."""
    places = dict(matching_pairs(split_lines(before), split_lines(now)))
    for edit in edits:
        if function.first_line <= edit.start_line and edit.end_line <= function.last_line + 1:
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


def _reads(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True

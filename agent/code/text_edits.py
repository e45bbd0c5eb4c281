"""A rewrite as edits of exactly the text that it was made for: what an editor applies to its buffer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.code.line_matching import changes
from afterburner.agent.code.source_text import split_lines

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Whole lines in place of others. Lines count from 0; `end_line` is the first that stays (as LSP counts)."""

    start_line: int
    end_line: int
    new_text: str


def edits_between(before: str, after: str) -> tuple[TextEdit, ...]:
    """The edits that make one text of the other, in their order and apart from one another."""
    old, new = split_lines(before), split_lines(after)
    return tuple(
        TextEdit(each.old_start, each.old_end, "".join(new[each.new_start : each.new_end]))
        for each in changes(old, new)
    )


def apply_edits(text: str, edits: Sequence[TextEdit]) -> str:
    """The text with the edits made."""
    lines = split_lines(text)
    for edit in sorted(edits, key=lambda each: each.start_line, reverse=True):
        lines[edit.start_line : edit.end_line] = [edit.new_text]
    return "".join(lines)

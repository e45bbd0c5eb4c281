"""The lines of a pull request that may be commented on: those of its diff, and several at once only within one hunk."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

Side = Literal["LEFT", "RIGHT"]
_HEAD = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass
class Hunk:
    """One hunk: its text, and the numbers of its lines before (`LEFT`) and after (`RIGHT`) the change."""

    head: str
    lines: list[str] = field(default_factory=list)
    numbers: dict[str, set[int]] = field(default_factory=lambda: {"LEFT": set(), "RIGHT": set()})

    @property
    def text(self) -> str:
        return "\n".join([self.head, *self.lines])


def hunks(patch: str) -> list[Hunk]:
    """Read the hunks of a file's patch."""
    found: list[Hunk] = []
    left = right = 0
    for line in patch.split("\n"):
        if head := _HEAD.match(line):
            left, right = int(head[1]), int(head[2])
            found.append(Hunk(line))
            continue
        hunk = found[-1]
        hunk.lines.append(line)
        if not line.startswith(("+", "\\")):
            hunk.numbers["LEFT"].add(left)
            left += 1
        if not line.startswith(("-", "\\")):
            hunk.numbers["RIGHT"].add(right)
            right += 1
    return found


def commented_hunk(
    patch: str, line: int, side: str, start_line: int | None = None, start_side: str | None = None
) -> tuple[Hunk | None, str]:
    """Give the hunk that a comment is on, or None and GitHub's words for why it is on none."""
    for hunk in hunks(patch):
        if line not in hunk.numbers[side]:
            continue
        if start_line is None:
            return hunk, ""
        if start_line >= line and (start_side or side) == side:
            return None, "Start line must precede the end line."
        if start_line not in hunk.numbers[start_side or side]:
            return None, "Start line must be part of the same hunk as the line."
        return hunk, ""
    return None, "Line could not be resolved"

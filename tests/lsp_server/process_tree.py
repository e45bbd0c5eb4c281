"""The processes that a process has started."""

from __future__ import annotations

import contextlib
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
    found, waiting = [], [pid]
    while waiting:
        children = [child for child, parent in parents.items() if parent == waiting[0]]
        found += children
        waiting = waiting[1:] + children
    return found

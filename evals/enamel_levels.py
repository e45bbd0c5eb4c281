"""ENAMEL's levels: running out of time or memory at one of them ends them, and is no failure from level 1 on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

ENAMEL = "enamel"
_NAME = re.compile(r"level (\d+), case \d+")
_LIMITS = (Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT)
_CASE = re.compile(r"case (\d+): ")
# Exceptions that end a level in ENAMEL's own evaluation, as the first failure of a run tells them.
_LIKE_LIMITS = re.compile(r"case \d+: exit code 1: (MemoryError|OverflowError)\b")


def level_of(case: str) -> int | None:
    """The level of a case by its name; None: it is no case of ENAMEL."""
    found = _NAME.fullmatch(case)
    return int(found[1]) if found else None


def ran_out(verdict: str, detail: str | None, cases: Sequence[str]) -> bool:
    """Whether a run of a solution ended as one that passes may end: out of time or memory, at level 1 or later.

    Args:
        verdict: of the run.
        detail: its first failure, as `measure.first_failure` tells it.
        cases: the names of all cases.
    """
    found = _CASE.match(detail or "")
    if found is None or not 0 < int(found[1]) <= len(cases) or not level_of(cases[int(found[1]) - 1]):
        return False
    return verdict in _LIMITS or _LIKE_LIMITS.match(detail or "") is not None

"""ENAMEL's levels: running out of time or memory at one of them ends them, and is no failure from level 1 on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.evals.tables import Row

ENAMEL = "enamel"
_NAME = re.compile(r"level (\d+), case \d+")
_LIMITS = (Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT)
# Exceptions that end a level in ENAMEL's own evaluation, as a run that was stopped there tells them.
_LIKE_LIMITS = re.compile(r"case \d+: exit code 1: (MemoryError|OverflowError)\b")


def level_of(case: str) -> int | None:
    """The level of a case by its name; None: it is no case of ENAMEL."""
    found = _NAME.fullmatch(case)
    return int(found[1]) if found else None


def ran_out(row: Row, cases: Sequence[str]) -> bool:
    """Whether a run of a solution ended as one that passes may end: out of time or memory, at level 1 or later.

    Args:
        row: of the table `measurements`; the run was stopped at the first case that it failed.
        cases: the names of all cases.
    """
    made = len(row["case_wall_times_s"] or ())
    if not 0 < made <= len(cases) or not level_of(cases[made - 1]):
        return False
    return row["verdict"] in _LIMITS or bool(_LIKE_LIMITS.match(row["detail"] or ""))

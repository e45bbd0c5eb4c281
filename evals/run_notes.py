"""What a run stored that a reader has to know before believing its scores, a sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from afterburner.agent.wording import count, shorten_middle
from afterburner.evals.tables import TABLES, read_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_LONGEST = 300  # characters of a failure
_OF_PROBLEMS = ("problem_id", "reason", "failing_references")


def notes_of(folder: Path) -> list[str]:
    """The sentences about a folder of `eval run`.

    Raises:
        EvaluationError: a file cannot be read.
    """
    problems = _read(folder, "problems", _OF_PROBLEMS)
    return list(filter(None, (failing_solutions([row for row in problems if not row["reason"]]),)))


def failing_solutions(problems: Sequence[Mapping[str, Any]]) -> str:
    """On how many problems all known solutions fail; empty: on none.

    Args:
        problems: rows of the table `problems`, of those that were evaluated.
    """
    failing = [row for row in problems if row.get("failing_references")]
    if not failing:
        return ""
    first = failing[0]
    return (
        f"On {len(failing)} of {count(len(problems), 'problem')} all known solutions that were run fail here, so code "
        "that fails there says little of the model: the tests, the grader or this machine may be at fault. The first "
        f"failure, of {first['problem_id']}: {shorten_middle(first['failing_references'].rstrip('.'), _LONGEST)}."
    )


def _read(folder: Path, table: str, names: Sequence[str]) -> list[dict[str, Any]]:
    return read_rows(folder, table, columns={name: TABLES[table][name] for name in names})

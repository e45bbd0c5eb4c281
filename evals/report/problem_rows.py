"""What a run stored of one problem, put together by generation and iteration."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from afterburner.evals.evaluation import ACCEPTED, COLUMN
from afterburner.evals.tables import file_key, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from afterburner.agent.types import Objective
    from afterburner.evals.tables import Row

_TABLES = ("candidates", "best", "codes", "measurements", "verdicts", "references")


@dataclass(frozen=True, slots=True)
class ProblemRows:
    """The tables of one problem.

    Attributes:
        codes: by `code_id`.
        candidates: by generation and iteration.
        best: C* by generation and iteration.
        rows: all tables as they were stored.
    """

    codes: Mapping[str, str]
    candidates: Mapping[tuple[int, int], list[Row]]
    best: Mapping[tuple[int, int], Row]
    rows: Mapping[str, list[Row]]

    @property
    def generations(self) -> list[int]:
        """The numbers of the generations."""
        return sorted({generation for generation, _ in self.best})

    def iterations(self, generation: int) -> list[int]:
        """The iterations of one generation."""
        return sorted(iteration for each, iteration in self.best if each == generation)

    def code(self, generation: int, iteration: int) -> str:
        """C* after an iteration; empty: there was none."""
        row = self.best.get((generation, iteration))
        return self.codes.get(row["code_id"], "") if row else ""

    def verdict(self, code_id: str, rule: str) -> str:
        """What the repeats on these tests, or a rule, say of a code, with the first failure; empty: nothing."""
        for row in self.rows["measurements"]:
            if (row["code_id"], row["tests"]) == (code_id, rule) and row["verdict"] != ACCEPTED:
                return _told(row)
        if any((row["code_id"], row["tests"]) == (code_id, rule) for row in self.rows["measurements"]):
            return ACCEPTED
        return next(
            (_told(row) for row in self.rows["verdicts"] if (row["code_id"], row["rule"]) == (code_id, rule)), ""
        )

    def figure(self, code_id: str, tests: str, objective: Objective) -> float | None:
        """The median of a code's repeats; None: it was not measured or does not pass."""
        found = [
            row[COLUMN[objective]]
            for row in self.rows["measurements"]
            if (row["code_id"], row["tests"], row["verdict"]) == (code_id, tests, ACCEPTED)
        ]
        known = [each for each in found if each is not None]
        return median(known) if known else None


def read_problem(folder: Path, problem_id: str) -> ProblemRows:
    """Read what is stored of a problem.

    Raises:
        OSError: a file cannot be read.
    """
    rows = {table: read_rows(folder, table, file_key(problem_id)) for table in _TABLES}
    candidates: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in rows["candidates"]:
        candidates[row["generation"], row["iteration"]].append(row)
    best = {(row["generation"], row["iteration"]): row for row in rows["best"]}
    return ProblemRows({row["code_id"]: row["code"] for row in rows["codes"]}, candidates, best, rows)


def messages_of(prompt: str) -> Iterator[tuple[str, str]]:
    """The roles and texts of a stored prompt; one that is none is told as it is."""
    try:
        found: Any = json.loads(prompt) if prompt else []
        told = [(str(each["role"]), _content(each["content"])) for each in found]
    except (KeyError, TypeError, ValueError):
        told = [("prompt", prompt)]
    yield from told


def _content(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, indent=1)


def _told(row: Row) -> str:
    return f"{row['verdict']}: {row['detail']}" if row["detail"] else str(row["verdict"])

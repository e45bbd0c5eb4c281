"""The book of results: one JSON document that grows by a record for each trial and can be continued later."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = 1
RULE = 3  # goes up with every change of how decisions are made: figures of two rules do not add up
Record = dict[str, Any]


class BookError(Exception):
    """A book that cannot be read or continued; the message says why."""


@dataclass
class Book:
    """What is known. `trials` and `examples` are lists of records, in the order in which they were made."""

    machine: dict[str, Any]
    min_effect: float
    alpha: float
    trials: list[Record] = field(default_factory=list)
    examples: list[Record] = field(default_factory=list)
    sessions: list[Record] = field(default_factory=list)  # when, and under which load, records were added
    rule: int = RULE

    def has(self, key: str) -> bool:
        """Whether this trial was made."""
        return any(record["key"] == key for record in self.trials)

    def save(self, place: Path) -> None:
        """Writes it whole; who reads it meanwhile sees the one before."""
        temporary = place.with_name(f"{place.name}.{os.getpid()}")
        temporary.write_text(json.dumps({"schema": SCHEMA, **vars(self)}, indent=1) + "\n", encoding="utf-8")
        temporary.replace(place)

    def continues(self, other: Book) -> bool:
        """Whether both come from one machine and one rule, so that they may be counted together."""
        same_machine = self.machine == other.machine
        mine, others = ((book.rule, book.min_effect, book.alpha) for book in (self, other))
        return same_machine and mine == others


def load(place: Path) -> Book:
    """Reads a book.

    Raises:
        BookError: it is not there, or is none of this program's.
    """
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
        if found.pop("schema") != SCHEMA:
            raise BookError(f"{place} is of another version of this benchmark; begin anew with --json.")
        return Book(**{"rule": 1, **found})  # books did not name it at first
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BookError(f"{place} cannot be read as results of this benchmark: {error}") from error

"""What the records say: a row for each function and condition, and whether the goals are met."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.selfcheck.exact import lower_bound, upper_bound
from afterburner.agent.types import Decision
from scripts.selection_bench.plan import BUSY, FUNCTIONS, GAINS, IDENTICAL, IDLE, JUDGING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scripts.selection_bench.book import Book, Record

ALL = "all"
MOST_FALSE = 0.01  # of the upper bound of the rate
LEAST_FOUND = {GAINS[0]: 0.90, GAINS[1]: 0.99}
LONGEST_S, LONGEST_FOR = 15.0, "50 ms"
HEADS = (
    "machine",
    "a call takes",
    "decisions",
    "false accepts",
    "at most",
    "tests alone",
    "false accepts",
    "at most",
    "10% found",
    "20% found",
    "too noisy",
    "median s",
    "p95 s",
)


@dataclass(frozen=True)
class Row:
    """What is known of one function, or of all, under one condition."""

    condition: str
    function: str
    identical: tuple[Record, ...]
    gains: tuple[Record, ...]

    @property
    def measured(self) -> list[Record]:
        """Decisions on identical code in which every candidate was measured; others prove nothing."""
        return [record for record in self.identical if None not in record["screened"]]

    @property
    def false_accepts(self) -> int:
        """Decisions that offered identical code."""
        return sum(record["offered"] is not None for record in self.measured)

    @property
    def alone(self) -> list[Record]:
        """Tests of identical code alone that came to an end."""
        tests = [record["alone"] for record in self.identical if record.get("alone")]
        return [test for test in tests if test["ratio"] is not None]

    @property
    def alone_accepts(self) -> int:
        """Those that accepted it."""
        return sum(test["decision"] == Decision.IMPROVED for test in self.alone)

    def found(self, gain: float) -> tuple[int, int]:
        """How often a gain of this size was found, and how often it was there."""
        mine = [record for record in self.gains if record["gain"] == gain]
        return sum(record["offered"] == record["faster"] for record in mine), len(mine)

    @property
    def noisy(self) -> int:
        """Decisions of any kind that ended with 'too noisy to tell' for a candidate."""
        return sum(Decision.TOO_NOISY in record["decisions"] for record in (*self.identical, *self.gains))

    def cells(self) -> tuple[str, ...]:
        """The row as text, one for each of `HEADS`."""
        seconds = [record["seconds"] for record in self.identical]
        measured, alone = len(self.measured), len(self.alone)
        return (
            self.condition,
            self.function,
            str(measured),
            str(self.false_accepts) if measured else "",
            _percent(upper_bound(self.false_accepts, measured)) if measured else "",
            str(alone),
            str(self.alone_accepts) if alone else "",
            _percent(upper_bound(self.alone_accepts, alone)) if alone else "",
            *(_of(*self.found(gain)) for gain in GAINS),
            str(self.noisy),
            _seconds(seconds, statistics.median),
            _seconds(seconds, p95),
        )


WHERE = {
    IDLE: "an idle machine",
    BUSY: "all cores busy with other work",
    JUDGING: "our own judging on the other cores",
}


@dataclass(frozen=True)
class Goal:
    """What was promised, and what was measured; `met` is None where too little was."""

    promise: str
    measured: str
    met: bool | None
    is_proven: bool = True  # False: the sample meets it, but the bound of the rate does not


def rows(book: Book) -> list[Row]:
    """A row for each function that was tried under a condition, and one for all of them."""
    names = [*(function.name for function in FUNCTIONS), ALL]
    made = [_row(condition, name, book.trials) for condition in (IDLE, BUSY, JUDGING) for name in names]
    return [row for row in made if row is not None]


def goals(book: Book) -> list[Goal]:
    """The goals, in the order in which they are told."""
    by_place = {(row.condition, row.function): row for row in rows(book)}

    def row(condition: str) -> Row | None:
        return by_place.get((condition, ALL))

    found = [_false_accepts(condition, row(condition)) for condition in (IDLE, BUSY)]
    found += [_found(IDLE, gain, row(IDLE)) for gain in GAINS]
    found.append(_duration(by_place.get((IDLE, LONGEST_FOR))))
    found.append(_false_accepts(JUDGING, row(JUDGING)))
    return [*found, *(_found(JUDGING, gain, row(JUDGING)) for gain in GAINS)]


def p95(values: Sequence[float]) -> float:
    """The value that 95% do not exceed: the largest of few."""
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


def _row(condition: str, function: str, records: Sequence[Record]) -> Row | None:
    mine = [each for each in records if each["condition"] == condition and function in (each["function"], ALL)]
    if not mine:
        return None
    identical = tuple(record for record in mine if record["gain"] == IDENTICAL)
    return Row(condition, function, identical, tuple(record for record in mine if record["gain"] != IDENTICAL))


def _false_accepts(condition: str, row: Row | None) -> Goal:
    promise = f"{WHERE[condition]}: no false accept, so that the upper bound (95%) is at most {_percent(MOST_FALSE)}"
    if row is None or not row.measured:
        return Goal(promise, "not measured", None)
    bound = upper_bound(row.false_accepts, len(row.measured))
    measured = f"{row.false_accepts} in {len(row.measured)} decisions, at most {_percent(bound)}"
    if row.false_accepts:
        return Goal(promise, measured, met=False)
    return Goal(promise, measured, True if bound <= MOST_FALSE else None)


def _found(condition: str, gain: float, row: Row | None) -> Goal:
    wanted = LEAST_FOUND[gain]
    promise = f"{WHERE[condition]}: gains of {_percent(gain - 1)} are found in at least {_percent(wanted)}"
    hits, trials = row.found(gain) if row else (0, 0)
    if not trials:
        return Goal(promise, "not measured", None)
    least = lower_bound(hits, trials)
    measured = f"{hits} of {trials}, {_percent(hits / trials)} (at least {_percent(least)})"
    return Goal(promise, measured, hits / trials >= wanted, is_proven=least >= wanted)


def _duration(row: Row | None) -> Goal:
    promise = f"an idle machine: a decision on a function of {LONGEST_FOR} takes at most {LONGEST_S:g} s"
    if row is None:
        return Goal(promise, "not measured", None)
    kinds = (("identical code", row.identical), ("with a gain", row.gains))
    told = [(what, [record["seconds"] for record in records]) for what, records in kinds if records]
    measured = "; ".join(f"{what}: median {statistics.median(s):.1f} s, p95 {p95(s):.1f} s" for what, s in told)
    return Goal(promise, measured, all(p95(seconds) <= LONGEST_S for _, seconds in told))


def _of(hits: int, trials: int) -> str:
    return f"{hits} of {trials}" if trials else ""


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _seconds(values: Sequence[float], figure: Callable[[Sequence[float]], float]) -> str:
    return f"{figure(values):.1f}" if values else ""

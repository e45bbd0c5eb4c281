"""Small collections in which records meet: they share values, and a value of one lies between two of another."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

import pytest

from afterburner.agent.inputs.inside.call_parts import places, root_of
from afterburner.agent.inputs.inside.drawn_calls import Allowed, Drawer
from afterburner.agent.inputs.inside.few_values import are_records
from afterburner.agent.inputs.inside.related_values import Constants, related_inputs

MONDAY = dt.datetime(2024, 3, 4, 6, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


@dataclass(frozen=True)
class Shift:
    """Refused where it ends before it starts."""

    nurse: str
    start: dt.datetime
    end: dt.datetime

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(self.nurse)


# No two share a value, as in a roster of many nurses.
ROSTER = [Shift(f"nurse{n}", MONDAY + 24 * n * HOUR, MONDAY + (24 * n + 6) * HOUR) for n in range(8)]
ROWS = [{"item": f"i{n}", "low": 10.0 * n, "high": 10.0 * n + 5} for n in range(8)]


def drawn(records: list[Any]) -> list[list[Any]]:
    """The collections of few values that Hypothesis draws from one call with these records."""
    root = root_of([records], {})
    found = Drawer([root], [root], Allowed(set(), set(), {}), Constants([])).draw(1, 400)
    return [made[0][0] for kind, made, _ in found if kind == "records of few values"]


def test_records_share_values_and_lie_within_each_other() -> None:
    rosters = drawn(ROSTER)
    pairs = [(one, other) for roster in rosters for one in roster for other in roster if one.nurse == other.nurse]
    assert any(one.start < other.start == other.end < one.end for one, other in pairs)  # at one moment within another
    assert any(one.end == other.start and one.start < one.end for one, other in pairs)  # one ends as another starts
    assert {len(roster) for roster in rosters} == {2, 3, 4, 5}


def test_records_may_be_tables() -> None:
    pairs = [(one, other) for rows in drawn(ROWS) for one in rows for other in rows if one["item"] == other["item"]]
    assert any(one["low"] < other["low"] == other["high"] < one["high"] for one, other in pairs)
    assert all(type(one["item"]) is str and type(one["low"]) is float for one, _ in pairs)


def test_what_has_not_the_same_parts_is_no_record() -> None:
    assert all(map(are_records, (ROSTER, ROWS, [("a", 1), ("b", 2)])))
    assert not any(map(are_records, ([], [1, 2], [{"a": 1, "b": 2}, {"a": 1}])))


@pytest.mark.parametrize(
    ("days", "first"),
    [
        ([dt.date(2024, 5, 1), dt.date(2024, 12, 25)], {dt.date(2024, 5, 1), dt.date(2024, 7, 9), dt.date(2024, 7, 8)}),
        ((7, 19), {7, 40, 3}),
        ({dt.date(9999, 12, 25)}, {dt.date(2024, 7, 9), dt.date(2024, 7, 8)}),  # what goes beyond the last year is none
    ],
)
def test_a_collection_holds_consecutive_values(days: Any, first: set[Any]) -> None:
    placed = [dt.date(2024, 7, 8), dt.date(2024, 7, 9), 40, 3]
    root = root_of([days, placed], {})
    [place] = [each for each in places(root) if each.site == ("0",)]
    runs = [made[0][0] for kind, made in related_inputs(root, place, Constants([])) if kind == "consecutive values"]
    assert {min(run) for run in runs} == first
    for run in runs:
        assert type(run) is type(days)
        gaps = {after - before for before, after in zip(sorted(run), sorted(run)[1:], strict=False)}
        assert gaps in ({1}, {dt.timedelta(days=1)})

"""Calls that break an assumption, with as much of their own arguments as it allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from afterburner.agent.inputs.inside.crossed_calls import crossed

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Parcel:
    """A record, with a condition of its class."""

    number: int
    days: int

    def __post_init__(self) -> None:
        """A parcel takes no negative days."""
        if self.days < 0:
            raise ValueError(self.days)


class Stop(NamedTuple):
    """A row."""

    place: str
    minutes: float


def _parcels(*pairs: tuple[int, int]) -> list[Parcel]:
    return [Parcel(*pair) for pair in pairs]


@pytest.mark.parametrize(
    ("own", "real", "holds", "expected"),
    [
        (  # a condition on the first number alone
            _parcels((10**9, 0), (-7, 3)),
            _parcels((0, 5), (1, 6), (2, 9)),
            lambda parcels: not parcels or parcels[0].number == 0,
            _parcels((0, 0), (-7, 3)),
        ),
        (  # what is equal stays away, what is negative does not
            [1, -5, 1, 2, -5],
            [7, 3, 9],
            lambda numbers: len(set(numbers)) == len(numbers),
            [1, -5, 9, 2],
        ),
        (
            [Stop("b", 0.0), Stop("a", float("nan"))],
            [Stop("x", 1.0), Stop("y", 2.0)],
            lambda stops: all(stop.minutes == stop.minutes for stop in stops),
            [Stop("b", 0.0), Stop("a", 2.0)],
        ),
        (
            {"weight": -1, "code": ""},
            {"weight": 4, "code": "k", "note": None},
            lambda parcel: parcel["weight"] > 0,
            {"weight": 4, "code": "", "note": None},
        ),
        (
            ({"rows": [[3, 0], [1, 0]]},),
            ({"rows": [[1, 8], [2, 8], [5, 8]]},),
            lambda tables: all(rows == sorted(rows) for table in tables for rows in table.values()),
            ({"rows": [[1, 0], [1, 0]]},),
        ),
    ],
    ids=["record", "numbers", "row", "dictionary", "nested"],
)
def test_a_real_argument_takes_as_much_of_the_other_as_it_may(
    own: Any, real: Any, holds: Callable[[Any], bool], expected: Any
) -> None:
    assert not holds(own)
    made = list(crossed([[own, "other"], {}], ["it"], ["it"], [[[real], {}]], lambda root: holds(root[0][0])))
    assert made[0] == [[real, "other"], {}]
    assert [repr(root) for root in made[1:]] == [repr([[expected, "other"], {}])]
    assert all(holds(root[0][0]) for root in made)


def test_of_two_arguments_one_may_stay_whole() -> None:
    made = list(
        crossed([[5], {"high": 0}], ["low", "high"], ["low", "high"], [[[1, 7], {}]], lambda root: _of(root)[0] <= 6)
    )
    assert [_of(root) for root in made] == [(1, 7), (5, 0)]


def _of(root: list[Any]) -> tuple[int, int]:
    args, kwargs = root
    low, high = (*args, *kwargs.values())
    return low, high


def test_nothing_more_is_made_where_nothing_of_the_other_may_stay() -> None:
    assert len(list(crossed([[-1], {}], ["it"], ["it"], [[[4], {}]], lambda root: root[0][0] > 0))) == 1


def test_a_long_argument_is_mended_in_bounded_time() -> None:
    tried = 0

    def holds(root: list[Any]) -> bool:
        nonlocal tried
        tried += 1
        return all(item >= 0 for item in root[0][0])

    made = list(crossed([[[-1] * 5_000], {}], ["it"], ["it"], [[[[1] * 12], {}]], holds))
    assert len(made) >= 1
    assert tried < 1_000

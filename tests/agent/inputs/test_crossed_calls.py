"""Calls that break an assumption, with as much of their own arguments as it allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from afterburner.agent.inputs.inside import mended_values
from afterburner.agent.inputs.inside.crossed_calls import arguments, crossed, mended, surrounded
from afterburner.agent.inputs.inside.mended_values import Mender

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


def made_of(
    root: list[Any], others: list[Any], names: list[str], holds: Callable[[list[Any]], bool]
) -> tuple[list[Any], list[Any]]:
    """What is made of a call: with whole arguments of the others, and with mended ones."""
    wholes = list(crossed(root, names, names, others))
    own, mender = arguments(root, names), Mender()
    replaced = {name: own[name] for name in names}
    return wholes, [part for each in wholes for part in mended(each, replaced, names, holds, mender)]


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
    [whole], parts = made_of([[own, "other"], {}], [[[real], {}]], ["it"], lambda root: holds(root[0][0]))
    assert whole == [[real, "other"], {}]
    assert [repr(root) for root in parts] == [repr([[expected, "other"], {}])]
    assert all(holds(root[0][0]) for root in parts)


def test_of_two_arguments_one_may_stay_whole() -> None:
    names = ["low", "high"]
    [whole], parts = made_of([[5], {"high": 0}], [[[1, 7], {}]], names, lambda root: arguments(root, names)["high"] < 7)
    assert arguments(whole, names) == {"low": 1, "high": 7}
    assert not parts, "the real arguments do not keep to it themselves"
    _, parts = made_of([[5], {"high": 0}], [[[1, 7], {}]], names, lambda root: arguments(root, names)["high"] > 0)
    assert [arguments(root, names) for root in parts] == [{"low": 5, "high": 7}]


@pytest.mark.parametrize(("own", "real"), [(-1, 4), ([-1], [4]), ([], [4]), ("-", [4])])
def test_nothing_more_is_made_where_nothing_of_the_other_may_stay(own: Any, real: Any) -> None:
    _, parts = made_of([[own], {}], [[[real], {}]], ["it"], lambda root: root[0][0] in (4, [4]))
    assert not parts


class Odd(list[int]):
    """A list with a length of its own."""

    def __len__(self) -> int:
        """Nobody asks for it."""
        raise ValueError


def test_code_of_a_container_is_not_run() -> None:
    _, parts = made_of(
        [[Odd([-1, 2])], {}], [[[Odd([7, 8, 9])], {}]], ["it"], lambda root: list.__getitem__(root[0][0], 0) > 0
    )
    assert [list.__repr__(root[0][0]) for root in parts] in ([], ["[7, 2]"], ["[7, 2, 9]"])


def test_mending_ends_in_time_and_after_whole_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    """A condition on long lists may take long; what real calls give as a whole does not wait for it."""
    monkeypatch.setattr(mended_values, "MENDING_S", -1.0)
    wholes, parts = made_of([[[-1] * 5_000], {}], [[[[1] * 12], {}]] * 24, ["it"], lambda root: min(root[0][0]) >= 0)
    assert len(wholes) == 24
    assert not parts


def test_the_tries_for_one_argument_are_bounded() -> None:
    tried = 0

    def holds(root: list[Any]) -> bool:
        nonlocal tried
        tried += 1
        return all(item >= 0 for item in root[0][0])

    made_of([[[-1] * 5_000], {}], [[[[1] * 12], {}]], ["it"], holds)
    assert 12 < tried <= mended_values.MOST_TRIES + 2


def test_real_texts_and_lists_are_put_beside_and_around_the_own_ones() -> None:
    others = [[["name", [1, 2]], {}], [[7, (2,)], {}], [["", [3]], {}]]
    made = list(surrounded([["\t", [9]], {}], ["text", "items"], ["text", "items"], others))
    assert [args[0] for args, _ in made[:3]] == ["\tname", "name\t", "name\tname"]
    beside = [[9, 1, 2], [1, 2, 9], [1, 9, 2], [9, 3], [3, 9], [9, 3]]
    alone = [[9, 1], [1, 9], [9, 1], *beside[3:], [9, 2], [2, 9], [9, 2]]
    assert [args[1] for args, _ in made[3:]] == [*beside, *alone]
    assert list(surrounded([[9], {}], ["number"], ["number"], [[[8], {}]])) == []


def test_arguments_that_are_equal_are_changed_together_too() -> None:
    names = ["path", "glob"]
    others = [[[("a", "b"), ["a", "*"]], {}]]
    made = list(crossed([[("x",), ["x"]], {}], ["path"], names, others))
    assert made == [[[("a", "b"), ["x"]], {}], [[("a", "b"), ["a", "b"]], {}]]
    beside = list(surrounded([[("x",)], {"glob": ["x"]}], ["path"], names, others))
    assert [[("x", "b")], {"glob": ["x"]}] in beside
    assert [[("x", "b")], {"glob": ["x", "b"]}] in beside
    assert list(crossed([[("x",), ["y"]], {}], ["path"], names, others)) == [[[("a", "b"), ["y"]], {}]]
    of_both = list(crossed([["x", "x"], {}], names, names, [[["a", "b"], {}]]))
    assert of_both == [[["a", "b"], {}]], "the other call gives both"

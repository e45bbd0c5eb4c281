"""Made inputs that have to do with the code, or with the other parts of a call; and objects that can exist."""

from __future__ import annotations

import datetime as dt
import sys
from dataclasses import dataclass
from types import ModuleType

import pytest

from afterburner.agent.inputs.inside.call_parts import places, record_with, root_of, with_value
from afterburner.agent.inputs.inside.container_kinds import NotBuildableError
from afterburner.agent.inputs.inside.edge_values import edges
from afterburner.agent.inputs.inside.related_values import CHAIN, Constants, mentioned_values, related_inputs

MODULE = ModuleType("taxes")
exec(  # noqa: S102 - the text below
    "BRACKETS = [(12_570, 0.2), (50_270, 0.4)]\nNAMES = {'a': ('low', None)}\n"
    "def rate(x):\n    return x > 125_140 and 'top'\n"
    "def f(income):\n    return [part for part in (1, 'x') if rate(income)]\n",
    vars(MODULE),
)


def test_the_constants_are_those_of_the_function_of_what_it_calls_and_of_the_tables_of_its_module() -> None:
    constants = Constants(mentioned_values(MODULE, MODULE.f))
    near = list(constants.near(3))
    assert {12_569, 12_570, 12_571, 50_270, 125_140, 125_141} <= set(near)
    assert set(constants.near("")) == {"x", "top", "a", "low"}
    assert 0.4 in constants.samples(float)
    assert all(type(value) is int for value in near)


def _inputs(*args: object) -> dict[str, list[list[object]]]:
    root = root_of(args, {})
    found: dict[str, list[list[object]]] = {}
    for place in places(root):
        for kind, changed in related_inputs(root, place, Constants([])):
            found.setdefault(kind, []).append(changed[0])
    return found


def test_a_value_is_put_in_the_place_of_another_argument() -> None:
    assert [20, [10, 20]] in _inputs(15, [10, 20])["value of another argument"]
    assert ["ab", {"ab": 1}] in _inputs("x", {"ab": 1})["value of another argument"]


def test_texts_contain_each_other_and_overlap() -> None:
    found = _inputs("x", {"aba": "b", "b": "c"})
    assert ["ababa", {"aba": "b", "b": "c"}] in found["text made of other texts"]
    assert ["x", {"aba": "b", "b": "c", "abaa": "b", "a": "c"}] in found["texts that contain each other"]
    assert ["x", {"aba": "b", "b": "c"}] in found["values that are keys"]


@pytest.mark.parametrize("table", [{"a": "b", "b": "c"}, {"a": ["b"], "b": []}, {"a": {"b"}, "b": set()}])
def test_links_go_further_than_python_recurses(table: dict[str, object]) -> None:
    chained = _inputs("a", table)["long chain"]
    start, chain = chained[0]
    assert isinstance(chain, dict)
    assert start in chain
    assert len(chain) >= CHAIN - 1 > sys.getrecursionlimit()
    assert "long chain" not in _inputs("a", {"a": "x"})


class Plain:
    def __init__(self, size: int) -> None:
        self.size = size


class Special(Plain):
    pass


class Refusing(Plain):
    def __init__(self, size: int) -> None:
        if size < 0:
            raise ValueError(size)
        super().__init__(size)


class Built:
    def __init__(self) -> None:
        self.left: dict[str, int] = {}
        self.right: dict[int, str] = {}


@dataclass(frozen=True)
class Range:
    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError


def test_an_object_of_a_subclass_stands_in_for_one_of_its_class() -> None:
    [[changed]] = _inputs(Plain(3))["object of a subclass"]
    assert type(changed) is Special
    assert changed.size == 3


def test_no_object_is_made_that_its_class_forbids() -> None:
    assert record_with(Plain(3), {"size": 4}).size == 4
    assert record_with(Range(1, 2), {"high": 5}) == Range(1, 5)
    for value, changed in ((Refusing(1), {"size": -1}), (Range(1, 2), {"low": 3}), (Built(), {"left": {"a": 1}})):
        with pytest.raises(NotBuildableError):
            record_with(value, changed)
        root = root_of([value], {})
        place = next(place for place in places(root) if place.site[-1] == f".{next(iter(changed))}")
        assert with_value(root, place, next(iter(changed.values()))) is root


def test_dates_are_written_otherwise_and_lie_around_changes_of_clocks() -> None:
    assert {"due 2024-3-5", "due 20240305", "due 2024-W09-4"} <= {value for _, value in edges("due 2024-03-05")}
    assert "9:05" in {value for _, value in edges("09:05")}
    moments = {value for _, value in edges(dt.datetime(2024, 3, 5, 9, tzinfo=dt.UTC))}
    assert dt.datetime(2024, 10, 27, 1, 30, tzinfo=dt.UTC) in moments
    assert {dt.date(2024, 2, 29), dt.date(2024, 3, 6)} <= {value for _, value in edges(dt.date(2024, 3, 5))}

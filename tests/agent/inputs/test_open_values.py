"""Values of other kinds than the real ones, where no hint says the kind."""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from afterburner.agent.inputs.inside.call_parts import places, root_of
from afterburner.agent.inputs.inside.edge_values import ROUNDED
from afterburner.agent.inputs.inside.open_values import (
    elements_alone,
    open_edges,
    open_elements,
    other_sequences,
    wrapped,
    wrapped_columns,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def made(value: Any) -> list[Any]:
    return [changed for _, changed in open_edges(value)]


@pytest.mark.parametrize("kind", [list, tuple])
def test_scalars_in_a_sequence_stand_beside_none_and_what_cannot_be_hashed(kind: type) -> None:
    for x, y in ((3, 4), ("a", "b"), (2.5, 0.5)):
        decided, likewise = kind([x, y, None]), kind([x, x, None])
        expected = [kind([[x], [x]]), decided, kind([(x,), [x]]), kind([x, None]), likewise, kind([{}, x])]
        assert made(kind([x, y])) == expected
    assert made(kind()) == []


def test_elements_alone_are_changed_where_only_these_are_asked_for() -> None:
    assert [changed for _, changed in elements_alone([3, 4])] == [
        [[3], [3]],
        [3, 4, None],
        [3, None],
        [3, 3, None],
        [{}, 3],
        *map(list, ROUNDED),
    ], "fractions for integers, of which the sums depend on the order"
    assert list(elements_alone(3)) == list(elements_alone({5})) == []
    assert [changed for _, changed in elements_alone({"a": 1, "b": [2]})] == [
        {"a": None, "b": [2]},
        {"a": 1, "b": None},
    ]
    assert [[3, 4]] in [changed for _, changed in open_elements([3, 4])], "what an object holds may be nested deeper"
    assert wrapped(Counter({"a": 2}), int) == Counter({"a": [2]})


def test_all_parts_of_a_type_stand_in_lists_of_their_own_and_equal_ones_stay_equal() -> None:
    records = [{"ref": "R1", "number": 1}, {"ref": "R1", "number": 2}]
    assert wrapped(records, str) == [{"ref": ["R1"], "number": 1}, {"ref": ["R1"], "number": 2}]
    assert wrapped([("a", 3), ("b", True)], int) == [("a", [3]), ("b", True)]
    assert wrapped(records, float) is records

    class Compared:
        def __eq__(self, other: object) -> bool:
            raise AssertionError("no code of the user's runs")

        __hash__ = None  # type: ignore[assignment]

    held = Compared()
    assert wrapped([held, 1], int)[0] is held


class Row(NamedTuple):
    """A row with names."""

    who: Any
    day: Any
    paid: Any


def in_columns(*args: Any) -> list[Any]:
    root = root_of(args, {})
    return [made for [made], _ in wrapped_columns(root, places(root))]


@pytest.mark.parametrize(
    "row",
    [
        lambda *parts: parts,
        lambda *parts: list(parts),
        lambda *parts: dict(zip(("who", "day", "paid"), parts, strict=True)),
        Row,
    ],
    ids=["tuples", "lists", "records", "named tuples"],
)
def test_one_column_alone_is_put_into_lists_since_another_may_have_to_be_hashed(row: Callable[..., Any]) -> None:
    assert in_columns([row("ann", "d1", True), row("bob", "d1", None)]) == [
        [row(["ann"], "d1", True), row(["bob"], "d1", None)],
        [row("ann", ["d1"], True), row("bob", ["d1"], None)],
        [row("ann", "d1", True), row(["bob"], "d1", None)],
        [row("ann", "d1", True), row("bob", ["d1"], None)],
    ]


def test_only_parts_of_containers_are_columns() -> None:
    class Order:
        def __init__(self, day: str, parts: list[str]) -> None:
            self.day, self.parts = day, parts

    assert in_columns(3) == in_columns("d1") == in_columns([Order("d1", ["a"])]) == []
    assert in_columns({"days": ["d1", "d2"]}) == [{"days": [["d1"], ["d2"]]}, {"days": ["d1", ["d2"]]}]


def test_rows_stay_rows() -> None:
    assert made([("a", 1), ("b", 2)]) == [[["a", 1], ["a", 1]], [("a", 1), ["a", 1]]]
    assert made([{"id": 1}]) == made([[1, 2]]) == made({"a": {"id": 1}}) == []


def test_numbers_have_equals_of_another_type() -> None:
    assert [(type(each), each) for each in made(3)] == [(type(None), None), (float, 3.0)]
    assert [(type(each), each) for each in made(3.0)] == [(type(None), None), (int, 3)]
    assert made(2.5) == made("text") == made(2**80 + 1) == [None]
    assert made({"a": 1}) == [{"a": None}]
    assert made({5}) == [{5, None}]


def test_sequences_of_other_kinds_have_the_same_elements() -> None:
    assert [each for _, each in other_sequences([5, 6])] == [(5, 6), deque([5, 6]), range(5, 7)]
    assert [each for _, each in other_sequences(("a",))] == [["a"], deque(["a"])]
    assert [each for _, each in other_sequences(())] == [[], deque()]
    assert list(other_sequences("abc")) == list(other_sequences({5})) == []

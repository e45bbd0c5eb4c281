"""More of the same data: copies with fresh names whose references still lead somewhere."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from afterburner.agent.inputs.inside.array_tiles import is_array, resize_array
from afterburner.agent.inputs.inside.container_kinds import NotBuildableError
from afterburner.agent.inputs.inside.resized_calls import _plan
from afterburner.agent.inputs.inside.table_rows import header_size, names_fields_of
from afterburner.agent.inputs.inside.value_copies import DISTINCT, EQUAL, NATURAL, Copies, is_grid
from afterburner.sandbox.driver.call_blobs import Call


def grown(value: Any, factor: float = 4) -> Any:
    return Copies([value]).resize(0, factor)


@pytest.mark.parametrize(
    ("numbers", "step"),
    [([1, 3, 5, 6, 7, 8, 10, 11, 15], 1), ([9, 8, 7, 6], -1), ([3, 9, 27, 81], None), ([1, 2], None)],
)
def test_where_integers_follow_one_another_more_of_them_do_so(numbers: list[int], step: int | None) -> None:
    """As pages, days or line numbers do: code that joins what is consecutive has the most to join then."""
    more = Copies([numbers], variety=DISTINCT).resize(0, 100)
    assert len(set(more)) == len(more) == 100 * len(numbers)
    steps = {other - one for one, other in pairwise(more)}
    assert (steps == {step}) if step else (len(steps) > 1)


def test_a_record_comes_in_one_size_and_a_table_in_any() -> None:
    options = {"names": "ab", "least": 2, **{f"option {number}": number for number in range(40)}}
    table = {f"name {number}": number / 2 for number in range(40)}
    for held, scaled in ((options, "len(rows)"), (table, "len(options), len(rows)")):
        call = Call(([list(range(30)), held]), {}, {})  # type: ignore[arg-type]  # lists, as where it is scaled
        plan = _plan(call, ["rows", "options"], 4)
        assert plan is not None
        assert sorted(slot.text for slot in plan.slots) == sorted(
            scaled.replace("len(", "").replace(")", "").split(", ")
        )


def test_distinct_elements_stay_distinct_and_repeated_ones_stay_repeated() -> None:
    assert len(set(grown(list(range(0, 3000, 7))))) == 4 * 429
    assert len(set(grown([f"name-{number}" for number in range(100)]))) == 400
    assert len({*grown(["apple", "pear", "plum", "fig", "kiwi", "lime", "date", "nut"])}) == 32
    assert len(grown({number: str(number) for number in range(50)})) == 200
    assert len(grown(frozenset(range(1000, 90_000, 997)))) == 4 * 90
    colours = ["red", "green", "blue"] * 40
    assert sorted(grown(colours)) == sorted(colours * 4)


def test_smaller_is_a_piece_of_the_same() -> None:
    assert grown([5, 3, 8, 1], 0.5) == [5, 3]
    assert grown("a\nb\nc\nd\ne\nf\n", 0.5) == "a\nb\nc\n"


def test_order_is_kept_where_there_is_one() -> None:
    rising = grown([number * number for number in range(60)])
    assert rising == sorted(rising)
    falling = grown(list(range(100, 0, -1)))
    assert falling == sorted(falling, reverse=True)
    mixed = grown([number * 37 % 101 for number in range(100)])
    inversions = sum(a > b for place, a in enumerate(mixed) for b in mixed[place:])
    assert inversions > 0.2 * len(mixed) ** 2  # and not only within each copy


def test_keys_of_two_arguments_still_meet() -> None:
    left, right = [f"user-{n}" for n in range(400)], [f"user-{3 * n}" for n in range(200)]
    copies = Copies([left, right])
    more_left, more_right = copies.resize(0, 3), copies.resize(1, 3)
    assert len({*more_left} & {*more_right}) == 3 * len({*left} & {*right})


def test_every_edge_of_a_grown_graph_leads_to_a_node_and_some_lead_to_other_copies() -> None:
    graph = {node: [(node * 7 + 3) % 90, (node + 1) % 90] for node in range(90)}
    more = grown(graph)
    assert len(more) == 360
    assert all(other in more for others in more.values() for other in others)
    seen, waiting = set(), [0]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += more[node]
    assert len(seen) > 180


class Colour(Enum):
    RED = 1


@dataclass
class Row:
    number: int
    colour: Colour
    at: str


def test_only_the_names_in_records_are_new() -> None:
    rows = [Row(number, Colour.RED, f"2024-01-{number % 28 + 1:02d}") for number in range(200)]
    more = grown(rows)
    assert len({row.number for row in more}) == len({id(row) for row in more}) == 800
    assert {row.at for row in more} == {row.at for row in rows}
    assert {row.colour for row in more} == {Colour.RED}
    assert Colour.RED.value == 1
    assert [row.number for row in rows] == list(range(200))
    lines = "".join(f"{number},EUR,{number % 4}\n" for number in range(100))
    fields = [line.split(",") for line in grown(lines).splitlines()]
    assert len({field[0] for field in fields}) == 400
    assert {(field[1], field[2]) for field in fields} == {("EUR", str(number)) for number in range(4)}
    records = [{"id": number, "tags": ["a", "b"], "price": 2.5} for number in range(50)]
    assert {tuple(record) for record in grown(records)} == {("id", "tags", "price")}


class Order:
    def __init__(self, number: int, items: list[int]) -> None:
        if number > 1000:
            raise ValueError(number)
        self.number, self.items = number, items
        self.total = sum(items)


def test_objects_are_made_by_their_class() -> None:
    more = grown([Order(number, [number, 3]) for number in range(0, 200, 2)])
    assert len({order.number for order in more}) == 400
    assert all(order.total == sum(order.items) for order in more)


def test_what_a_class_forbids_is_not_made_but_repeated_whole() -> None:
    orders = [Order(number, [number, 3]) for number in range(0, 1000, 5)]
    with pytest.raises(NotBuildableError):
        grown(orders, 8)
    more = Copies([orders], rename=False).resize(0, 4)
    assert len({id(order) for order in more}) == len({id(order.items) for order in more}) == 800
    assert {order.total for order in more} == {order.total for order in orders}


def test_grids_grow_in_both_dimensions_and_rows_are_no_grid() -> None:
    grid = [[x * y for x in range(12)] for y in range(10)]
    more = Copies([]).resize_grid(grid, 2)
    assert (len(more), {len(row) for row in more}, len({id(row) for row in more})) == (20, {24}, 20)
    assert is_grid(grid)
    assert not is_grid([[1, 2, 3]] * 100)
    assert not is_grid([[1], [1, 2], [1, 2, 3], [1, 2, 3, 4]])


@pytest.mark.parametrize(
    "table",
    [
        (("foo", "bar"), ("a", 1), ("b", 2), ("b", 3)),
        [["name", "age"], ["Ann", "31"], ["Bob", "42"], ["Cid", "31"]],
        (("foo", "bar", "baz"), ("a", 1, True), ("b", 2, None), ("b", 3)),
        "name,age\nann,31\nbob,32\ncid,33\ndan,34\n",
    ],
)
@pytest.mark.parametrize("variety", [NATURAL, DISTINCT, EQUAL])
def test_a_header_stays_as_it_is_and_more_of_a_table_has_it_once(table: Any, variety: str) -> None:
    more = Copies([table], 2, variety=variety).resize(0, 100)
    rows, were = (value.splitlines() if isinstance(value, str) else list(value) for value in (more, table))
    assert len(rows) == 100 * len(were)
    assert rows[0] == were[0]
    assert were[0] not in rows[1:]


@pytest.mark.parametrize("variety", [NATURAL, DISTINCT])
def test_short_names_stay_distinct_in_much_more_data(variety: str) -> None:
    """Of single letters there are 26."""
    more = Copies([(("foo", "bar"), ("a", 1), ("b", 2), ("b", 3))], 2, variety=variety).resize(0, 1000)
    assert len({row[0] for row in more}) > 1000


def test_a_table_is_no_grid() -> None:
    assert not is_grid((("foo", "bar"), ("a", 1), ("b", 2), ("b", 3)))
    assert not is_grid([["name", "age"], ["Ann", "31"], ["Bob", "42"], ["Cid", "31"]])
    assert is_grid([["ann", "bob"], ["cid", "dan"], ["eve", "fay"], ["gus", "hal"]]), "pairs have no header"
    assert not is_grid([["a", 1, True]] * 4)
    assert is_grid([["x", "o", " "]] * 4)
    assert is_grid([[1, 2.5, 3]] * 4)


def test_what_cannot_be_compared_is_no_header() -> None:
    rows: list[Any] = [("ab", "cd"), ("x", np.array([1, 2])), ("y", [3]), ("z", None)]
    assert header_size(rows) == 1
    assert header_size([("ab",), (np.array([1, 2]),), (["ab"],)]) == 1
    assert header_size([("ab", "cd"), (["ab"], "x"), ("y", {})]) == 0


def test_a_word_is_no_field_of_a_line_or_of_pairs() -> None:
    lines, pairs = ["start", "item 1", "item 2"], [["ann", "bob"], ["cid", "dan"], ["eve", "fay"]]
    assert header_size(lines) == 1
    assert not names_fields_of("art", lines)
    assert not names_fields_of(["ann", "bob"], pairs)


def test_the_names_of_fields_are_no_data() -> None:
    table = [["foo", "bar", "baz"], ["a", 1, True], ["b", 2, False], ["b", 3, True]]
    for key in ("foo", ["foo", "bar"]):
        plan = _plan(Call([table, key], {}, {}), ["table", "key"], 2)  # type: ignore[arg-type]  # as above
        assert plan is not None
        assert plan.text() == "len(table)"


def test_arrays_grow_too() -> None:
    numbers = np.arange(0, 700, 7)
    more = resize_array(numbers, 4)
    assert (len(set(more.tolist())), more.dtype, bool((more[1:] >= more[:-1]).all())) == (400, numbers.dtype, True)
    flags = np.array([True, False] * 20)
    assert resize_array(flags, 2).tolist() == flags.tolist() * 2
    assert resize_array(np.ones((6, 5)), 2).shape == (12, 10)
    assert resize_array(np.ones((60, 5)), 0.5).shape == (30, 5)
    assert is_array(numbers)
    assert not is_array(np.array(["a"]))
    assert not is_array([1, 2])

"""Objects and containers of the user's classes, arrays and frames, as inputs that can exist."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from afterburner.agent.inputs.inside.call_literals import LiteralWriter
from afterburner.agent.inputs.inside.call_parts import places, put, root_of, with_value
from afterburner.agent.inputs.inside.container_kinds import NotBuildableError, alike, plain_of, separate
from afterburner.agent.inputs.inside.edge_values import edges
from afterburner.agent.inputs.inside.method_objects import LINKS, objects_by_methods

MODULE = ModuleType("shop")
exec(  # noqa: S102 - the text below
    """
import collections

class Record(dict):
    def __init__(self, pairs):
        super().__init__((name.lower(), value) for name, value in pairs)

class Even(list):
    def __init__(self, items=()):
        if len(items) % 2:
            raise ValueError("an odd number of items")
        super().__init__(items)

class Tree:
    def __init__(self):
        self.parents = {}
        self.names = {}

    def add(self, number, name, parent=None):
        if number in self.parents:
            raise ValueError("there is one of this number")
        self.parents[number] = parent
        self.names[number] = name

    def slow(self):
        self.parents.clear()

class Numbered(Tree):
    pass

class Steps:
    def __init__(self):
        self.taken = {}

    def walk(self, number):
        for step in iter(int, 1) if number > 2**31 else range(number):
            self.taken[step % 7] = number

    def leave(self, number):
        raise SystemExit(0)

class Range(collections.namedtuple("Range", "low high")):
    def __new__(cls, low, high):
        if low > high:
            raise ValueError("low is above high")
        return super().__new__(cls, low, high)

class Slotted:
    __slots__ = ("width", "_height", "seen")

    def __init__(self, width, height=1):
        self.width, self._height = width, height

class Deep(Slotted):
    __slots__ = ("depth",)

    def __init__(self, width, depth):
        super().__init__(width)
        self.depth = depth

class Rounded(collections.namedtuple("Rounded", "size")):
    def __new__(cls, size):
        return super().__new__(cls, round(size))
""",
    vars(MODULE),
)


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Objects of its classes can be copied."""
    monkeypatch.setitem(sys.modules, "shop", MODULE)


def _tree() -> Any:
    tree = MODULE.Tree()
    for number in range(5):
        tree.add(number, f"part {number}", number - 1 if number else None)
    return tree


def test_what_a_mapping_of_a_users_class_holds_is_varied_within_what_the_class_makes() -> None:
    record = MODULE.Record([("Town", "Ulm"), ("Size", 3)])
    assert {place.site[-1] for place in places(root_of([record], {})) if len(place.site) > 1} == {"town", "size"}
    changed = put(record, "size", True)
    assert type(changed) is MODULE.Record
    assert plain_of(changed) == {"town": "Ulm", "size": True}
    with pytest.raises(NotBuildableError):
        alike(record, {"Town": "its class writes names in small letters"})


def test_attributes_in_slots_and_private_ones_that_the_constructor_takes_are_parts() -> None:
    slotted = MODULE.Slotted(3, 4)
    known = {place.site[-1]: place for place in places(root_of([slotted], {})) if place.holder is slotted}
    assert {label: place.value for label, place in known.items()} == {".width": 3, "._height": 4}
    changed = put(slotted, "_height", 7)
    assert (changed.width, changed._height) == (3, 7)
    with pytest.raises(NotBuildableError):
        put(slotted, "_height", "of another type than what the class keeps in private")
    deep = put(MODULE.Deep(1, 2), "depth", "text")
    assert (type(deep), deep.width, deep.depth) == (MODULE.Deep, 1, "text")
    assert LiteralWriter([slotted]).text(slotted) == "Slotted(width=3, height=4)"
    even = MODULE.Even([1, 2])
    even.label = "two"
    assert LiteralWriter([even]).text(even) == "<Even of [1, 2] with label='two'>"


def test_a_list_that_its_class_forbids_is_no_input() -> None:
    found = [changed for _, changed in edges(MODULE.Even([1, 2, 3, 4]))]
    assert found
    assert all(type(changed) is MODULE.Even and len(changed) % 2 == 0 for changed in found)


def test_a_named_tuple_is_made_by_its_class() -> None:
    low_and_high = MODULE.Range(1, 5)
    assert put(low_and_high, 1, 2) == MODULE.Range(1, 2)
    for value, key, part in ((low_and_high, 0, 9), (MODULE.Rounded(3), 0, 2.5)):
        with pytest.raises(NotBuildableError):
            put(value, key, part)
        root = root_of([[value]], {})
        place = next(place for place in places(root) if place.holder is value and place.key == key)
        assert with_value(root, place, part) is root
    rows = [changed for _, changed in edges([low_and_high] * 3)]
    assert all(row.low <= row.high for changed in rows for row in changed)


def test_an_object_is_filled_by_its_own_methods_in_the_form_of_a_real_one() -> None:
    made = list(objects_by_methods(_tree(), without="slow"))
    assert {type(each) for _, each in made} == {MODULE.Tree, MODULE.Numbered}
    for _, each in made:
        assert each.parents.keys() == each.names.keys()
        assert {type(name) for name in each.names.values()} <= {str}
    lengths = {len(each.parents) for kind, each in made if kind == "long chain"}
    assert max(lengths) == LINKS
    first = next(each for kind, each in made if kind == "long chain")
    assert next(iter(first.parents.values())) is not None, "the first chain is gone down from its far end"
    assert any(len(each.parents) < LINKS and any(each.parents.values()) for _, each in made)


def test_what_cannot_be_filled_gives_nothing() -> None:
    assert list(objects_by_methods(3, without="f")) == []
    assert list(objects_by_methods(_tree(), without="add")) == []


def test_equal_things_in_a_list_are_two_things() -> None:
    one = _tree()
    first, second, number = separate([one, one, 7])
    assert first is one
    assert second is not one
    assert second.names == one.names
    assert number == 7


def test_rows_are_mixed_lists_beside_equal_tuples_and_values_of_another_column() -> None:
    found = dict(enumerate(changed for _, changed in edges([{"size": [1, 2], "town": "Ulm"}] * 4)))
    columns = [[row["size"] for row in changed if "size" in row] for changed in found.values()]
    assert any([1, 2] in column and (1, 2) in column for column in columns)
    assert any([1, 2] in column and "Ulm" in column for column in columns)


@pytest.mark.parametrize("dtype", ["uint16", "int64", "float64"])
def test_arrays_come_with_extremes_other_lengths_and_another_order_in_memory(dtype: str) -> None:
    found = dict(edges(np.arange(12, dtype=dtype).reshape(3, 4)))
    assert {"largest numbers", "fewer elements", "empty", "another order in memory", "fewer columns"} <= found.keys()
    assert all(changed.dtype == dtype for changed in found.values())
    assert found["another order in memory"].flags.f_contiguous


def test_frames_come_filtered_with_missing_values_and_with_other_indexes() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": ["x", "y", "x", "z"]})
    found = [(kind, changed) for kind, changed in edges(frame)]
    assert {"rows filtered", "rows reversed", "duplicate index", "empty", "missing value"} <= {
        kind for kind, _ in found
    }
    assert any(0 not in changed.index for _, changed in found)
    assert any(changed["a"].dtype == "float64" for _, changed in found)


def test_a_method_that_does_not_end_or_leaves_the_process_costs_its_object_alone() -> None:
    steps = MODULE.Steps()
    steps.walk(3)
    made = [each for _, each in objects_by_methods(steps, without="run")]
    assert len(made) > 5
    assert all(type(each) is MODULE.Steps and 2**31 not in each.taken.values() for each in made)

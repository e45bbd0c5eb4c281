"""What made inputs start from: light pieces of real calls, and objects that can exist."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from afterburner.agent.inputs.inside.derived_calls import _variants
from afterburner.agent.inputs.inside.small_pieces import (
    KEPT,
    LIGHT_BYTES,
    MAX_BASES,
    MOST_WHOLE,
    bases_of,
    piece_of,
    size_of_state,
)
from afterburner.sandbox.driver.call_blobs import Call, dump_call, load_call

MODULE = ModuleType("trees")
exec(  # noqa: S102 - the text below
    """
class Tree:
    def __init__(self):
        self.parents = {}
        self.names = {}

    def add(self, number, name, parent=None):
        self.parents[number] = parent
        self.names[number] = name

    def trails(self):
        return [number for number in self.parents if number not in self.names]
""",
    vars(MODULE),
)


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Objects of its classes can be copied."""
    monkeypatch.setitem(sys.modules, "trees", MODULE)


def _tree(size: int) -> Any:
    tree = MODULE.Tree()
    for number in range(size):
        tree.add(number, f"part {number}", number // 2 if number else None)
    return tree


def _call(*args: object, **globals_: object) -> Call:
    return Call(args, {}, globals_)


def _bytes(*args: object) -> int:
    return len(dump_call(args, {}, {}))


def test_a_large_call_becomes_a_light_one_of_the_same_form() -> None:
    rows = [{"name": f"row {number}", "cells": list(range(200))} for number in range(1000)]
    [light, *others] = bases_of([_call(rows, "x" * 5000)])
    [made, text] = light.root[0]
    assert _bytes(made, text) <= LIGHT_BYTES
    assert made[0]["name"] == "row 0"
    assert made[0]["cells"][:3] == [0, 1, 2]
    assert 0 < len(text) < 100
    assert all(_bytes(*base.root[0]) < _bytes(rows) for base in others), "the whole call is none to start from"


def test_small_calls_are_taken_whole_and_none_of_them_twice() -> None:
    calls = [_call([number]) for number in range(5)] * 2
    roots = [base.root for base in bases_of(calls)]
    assert roots == [[[[number]], {}] for number in range(5)]
    assert len(bases_of([_call([number]) for number in range(50)])) == MAX_BASES


def test_a_few_small_calls_stand_as_they_are_beside_their_pieces() -> None:
    calls = [_call({f"v{size}-{number}": number for number in range(size)}) for size in range(20, 40)]
    sizes = [len(base.root[0][0]) for base in bases_of(calls)]
    assert sizes[:4] == [12, 20, 12, 21]
    assert sizes[2 * MOST_WHOLE :] == [12] * (MAX_BASES - MOST_WHOLE)


def test_records_and_rows_are_not_cut_however_many_fields_they_have() -> None:
    """A record without one of its fields is no input, and what is made of it none either."""
    options = [{f"option {number}": number for number in range(30)} | {"name": name} for name in ("a", "b")]
    rows = [[{f"field {number}": "text" for number in range(20)} for _ in range(40)] for _ in options]
    table = [[[0.5] * 17 for _ in range(40)] for _ in options]
    for base in bases_of([_call(*each) for each in zip(options, rows, table, strict=True)]):
        made, dictionaries, lines = base.root[0]
        assert made.keys() == options[0].keys()
        assert {tuple(each) for each in dictionaries} == {tuple(rows[0][0])}
        assert {len(each) for each in lines} == {17}
        assert len(lines) in {3, 6, 12, 40}, "of the rows themselves few are left"


def test_a_table_with_names_for_keys_is_cut() -> None:
    tables = [{f"name {number}": number for number in range(size)} for size in (50, 60)]
    assert {len(base.root[0][0]) for base in bases_of(list(map(_call, tables)))} <= {3, 6, 12, 50, 60}
    assert len(bases_of([_call(tables[0])])[0].root[0][0]) == 12


def test_among_many_calls_those_with_other_kinds_of_arguments_are_not_missed() -> None:
    texts, others = [_call(letter) for letter in "abcdefghijkl"], [_call([1]), _call(["a"]), _call("a", 5)]
    roots = [base.root[0] for base in bases_of([*texts, *others])]
    assert roots[:4] == [["a"], [[1]], [["a"]], ["a", 5]]
    assert roots[4:] == [[letter] for letter in "bcde"]


def test_arrays_and_frames_are_cut_in_every_direction() -> None:
    frame = pd.DataFrame({"a": range(5000), "b": "text"})
    [array, rows] = piece_of(_call(np.asfortranarray(np.arange(90_000, dtype=np.uint16).reshape(300, 300)), frame))[0]
    assert array.shape == (12, 12)
    assert (array.dtype, array.flags.f_contiguous) == (np.uint16, True)
    assert array[1, 1] == 301
    assert rows.equals(frame.head(12))


def test_an_object_that_its_methods_filled_stands_in_for_a_large_one() -> None:
    [light, *_] = bases_of([_call(_tree(2000))], "trails")
    [tree] = light.root[0]
    assert type(tree) is MODULE.Tree
    assert 0 < len(tree.parents) == len(tree.names) < 100
    assert tree.parents.keys() == tree.names.keys(), "no object is made that its class forbids"


def test_the_state_of_the_module_counts_apart_from_the_arguments() -> None:
    assert size_of_state(_call([1], table=list(range(1000)))) > 1000
    assert _bytes([1]) < 100


def test_edge_cases_of_objects_keep_what_the_class_takes_care_of() -> None:
    blob = dump_call([_tree(40)], {}, {})
    made = [load_call(variant).args[0] for variant, _ in _variants(blob, "trails")]
    assert len(made) > 3
    assert all(tree.parents.keys() == tree.names.keys() for tree in made)


def test_what_refers_to_a_cut_table_leads_to_entries_that_are_left() -> None:
    recipes = {f"p{n}": [f"p{n // 2}", f"p{n + 1}"] if n else [] for n in range(900)}
    weights = {n: {n + 1: 2.5, 400: 1.0} for n in range(800)}
    [made, wanted, graph, start] = piece_of(_call(recipes, ["p899", "p5", "p898", "p899"], weights, 799))[0]
    assert list(made) == [f"p{n}" for n in range(KEPT[0])]
    assert made["p5"] == ["p2", "p6"]
    assert made[f"p{KEPT[0] - 1}"] == ["p5"]  # its link to the next one, which is lost, is left out
    assert wanted == ["p11", "p5", "p10", "p11"]
    assert start in graph
    assert graph[0] == {1: 2.5}


def test_what_holds_itself_is_no_reason_to_give_up() -> None:
    tree: dict[str, Any] = {"name": "n899", "below": []}
    tree["below"].append({"name": "n3", "above": tree})
    table = {f"n{n}": n for n in range(900)}
    [made, root, other] = piece_of(_call(table, tree, ["n898", [["n2"]]]))[0]
    assert root["name"] in made
    assert other == ["n10", [["n2"]]]


def test_what_refers_to_a_whole_table_stays_as_it_is() -> None:
    table = {"a": ["b", "x"], "b": []}
    assert piece_of(_call(table, ["b", "c"]))[0] == [table, ["b", "c"]]

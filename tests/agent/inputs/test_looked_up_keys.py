"""What shows only together: a key that is looked up and what stands under it, a name and what it names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from afterburner.agent.inputs.inside.call_parts import places
from afterburner.agent.inputs.inside.edge_values import ENCODINGS, edges
from afterburner.agent.inputs.inside.key_paths import FALSE
from afterburner.agent.inputs.inside.looked_up_keys import NONE_FOR_ANY, looked_up
from afterburner.agent.inputs.inside.object_edges import other_classes


def made(root: Any, instead: dict[type, Any]) -> list[Any]:
    (place,) = (each for each in places(root) if each.site == ("0",))
    return list(looked_up(root, place, instead))


def test_a_text_becomes_each_key_with_a_false_value_of_its_type_under_it() -> None:
    table = {"price": 12.5, "name": "Ann", "parts": [1], 7: 1}
    found = made([["nope", [table]], {}], FALSE)
    assert found == [
        [["price", [{**table, "price": 0.0}]], {}],
        [["name", [{**table, "name": ""}]], {}],
    ]
    assert table["price"] == 12.5


def test_none_stands_under_keys_of_lists_too() -> None:
    found = made([["nope"], {"table": {"parts": [1]}}], NONE_FOR_ANY)
    assert found == [[["parts"], {"table": {"parts": None}}]]


def test_there_is_nothing_without_a_table() -> None:
    assert made([["nope", ["a", "b"]], {}], FALSE) == []


def test_a_class_becomes_another_one_of_its_kind() -> None:
    assert [each for _, each in other_classes(dict)] == [list, str, tuple, int]
    assert {each for _, each in other_classes(KeyError)} == {Exception, ValueError}
    assert list(other_classes(Path)) == list(other_classes({})) == []


def test_where_a_text_names_an_encoding_others_take_its_place() -> None:
    others = [value for kind, value in edges("UTF8") if kind == "another encoding"]
    assert others == [each for each in ENCODINGS if each != "utf-8"]
    assert all(
        not [kind for kind, _ in edges(text) if kind == "another encoding"] for text in ("cpx", "ascii art", "b")
    )

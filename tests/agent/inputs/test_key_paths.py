"""Keys that name a way into a table, or the way to another key."""

from __future__ import annotations

from afterburner.agent.inputs.inside.key_paths import with_ways


def test_a_key_names_the_way_into_a_table_behind_the_other_keys_and_before_them() -> None:
    made = list(with_ways({"a": {"b": 1}, "c": 2}, "~"))
    assert {"a": {"b": 1}, "c": 2, "a~b": 1} in made, "what the code mentions comes first"
    orders = [list(each) for each in made if "a.b" in each]
    assert orders == [["a", "c", "a.b"], ["a.b", "a", "c"]]
    assert next(list(each) for each in with_ways({("a",): {"b": 1}}, "")) == [("a",), ("a", "b")]


def test_a_key_is_what_another_begins_with_and_its_value_may_be_false() -> None:
    assert {"a/b": 3, "a": 0} in list(with_ways({"a/b": 3}, ""))
    held = [each[("x",)] for each in with_ways({("x", "y"): "t"}, "")]
    assert held == ["t", "t", {}, {}, "", ""]


def test_there_is_none_where_keys_have_no_parts_or_are_there() -> None:
    assert list(with_ways({"a": 1, 2: "b"}, "")) == []
    assert all(each["a"] == {"b": 1} for each in with_ways({"a": {"b": 1}, "a.b": 5}, ""))

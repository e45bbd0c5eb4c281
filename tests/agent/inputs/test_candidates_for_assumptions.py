"""What may be assumed of calls, from what all real ones have in common."""

from __future__ import annotations

from typing import Any

import pytest

from afterburner.agent.inputs.inside.assumptions import _candidates


@pytest.mark.parametrize(("value", "is_told"), [(1, True), ("a", True), (True, False), (None, False)])
def test_a_switch_is_no_element_of_a_list(value: Any, *, is_told: bool) -> None:
    """True is in a list of numbers by chance, since it equals 1."""
    calls = [{"index": [value, 0, 2], "wanted": value}, {"index": [value], "wanted": value}]
    told = {expression for expression, _ in _candidates(calls)}
    assert ("wanted in index" in told) == is_told


@pytest.mark.parametrize(
    ("lists", "is_told"), [([[1, 2.5], [0, 3]], True), ([["a", "b"], [1]], True), ([[1, 2], [[3], [4]]], False)]
)
def test_no_order_is_told_where_lists_stand_for_numbers(lists: list[list[Any]], *, is_told: bool) -> None:
    """A list of numbers and lists has none, so that it does not ascend says nothing."""
    told = {words for _, words in _candidates([{"items": each} for each in lists])}
    assert ("`items` ascends" in told) == is_told
    assert "`items` is not an iterator" in told

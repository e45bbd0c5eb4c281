"""State of a module is written beside a call only where it is another than importing the module leaves."""

from __future__ import annotations

from typing import Any

import pytest

from afterburner.agent.inputs.inside.smaller_calls import _same

ONE, OTHER = frozenset([0, 8]), frozenset([8, 0])  # both stand in one slot, so the first one decides


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (ONE, OTHER, True),
        ({"kinds": [ONE, {8, 0}]}, {"kinds": [OTHER, {0, 8}]}, True),
        ([1, 2], [2, 1], False),
        ([1], [1.0], False),
        (iter([1]), iter([2]), False),
        (len, len, True),
        (open, len, False),
    ],
)
def test_sets_are_the_same_in_any_order(one: Any, other: Any, *, is_same: bool) -> None:
    assert list(ONE) != list(OTHER)
    assert _same(one, other) is is_same


def test_what_was_looked_at_has_not_been_taken() -> None:
    items = iter([1, 2])
    assert _same(items, iter([1, 2]))
    assert list(items) == [1, 2]

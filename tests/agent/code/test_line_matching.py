"""Which lines two texts share: as `difflib` finds them on ordinary texts, and without the square of the length."""

from __future__ import annotations

import random
from difflib import SequenceMatcher
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterburner.agent.code.line_matching import Change, changes, matching_pairs

_LINES = st.lists(st.integers(0, 5), max_size=40)


@given(_LINES, _LINES)
def test_few_lines_are_paired_as_difflib_pairs_them(old: list[int], new: list[int]) -> None:
    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    assert changes(old, new) == [Change(*places) for kind, *places in opcodes if kind != "equal"]


@given(st.lists(st.integers(0, 2), max_size=12), st.lists(st.integers(0, 2), max_size=12), st.integers(50, 200))
def test_the_changes_make_one_text_of_the_other(old: list[int], new: list[int], times: int) -> None:
    """Also where there are so many equal lines that `difflib` is not asked."""
    before, after = old * times, new * times
    pairs = matching_pairs(before, after)
    assert all(before[first] == after[second] for first, second in pairs)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(pairs))
    result = list(before)
    for each in reversed(changes(before, after)):
        result[each.old_start : each.old_end] = after[each.new_start : each.new_end]
    assert result == after


def test_one_change_in_a_long_text_of_equal_lines_is_one_change() -> None:
    old = ["head", *["x += 1"] * 3000, "tail"]
    new = ["head", *["x += 1"] * 3000, "new", "tail"]
    assert changes(old, new) == [Change(3001, 3001, 3001, 3002)]


def test_lines_that_occur_once_hold_a_long_text_together() -> None:
    """Blocks in another order: the longest stretch of them in order stays, and what lies in it is compared."""
    block = ["{", "x", "}"] * 300
    old = [*block, "one", *block, "two", *block]
    new = [*block, "one", "new", *block, "two", *block]
    assert changes(old, new) == [Change(901, 901, 901, 902)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["a"] * 20_000, ["a", "b"] * 20_000),
        (["a", "b"] * 20_000, ["b", "a"] * 20_000),
        (list(range(20_000)), list(range(20_000, 0, -1))),
        ([random.Random(at).randrange(9) for at in range(20_000)], [at % 7 for at in range(20_000)]),
    ],
    ids=["equal lines", "in turns", "backwards", "by chance"],
)
def test_hostile_texts_come_to_an_end(old: list[object], new: list[object]) -> None:
    """Which takes `difflib` minutes and more."""
    assert matching_pairs(old, new)

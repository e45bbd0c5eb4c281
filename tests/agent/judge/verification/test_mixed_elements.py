"""Functions that look at each element of a list for its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.judge.verification.outcome import Agreement, Counterexample

if TYPE_CHECKING:
    from .conftest import Compare

POINT = """\
def f(coord):
    if len(coord) not in (2, 3):
        return "two or three"
    for number in coord:
        if isinstance(number, (list, tuple)):
            return "no positions within"
    return ""
"""
CALLS = "f([5, 2])\nf([1.5, 2.0, 0.5])\nf([[3, 4], [1, 2]])\nf([7])\nf([(3, 1), (1, 2), (0, 0)])"
LOOP = """\
    for number in coord:
        if isinstance(number, (list, tuple)):
            return "no positions within"
    return ""
"""


def test_one_that_looks_at_the_first_two_is_different(compare: Compare) -> None:
    """It is not "the same on a condition" that says what kinds elements have, nor on one about their order."""
    wrong = POINT.replace("in coord:", "in coord[:2]:")
    found = compare(POINT, wrong, CALLS)
    assert isinstance(found, Counterexample), found
    assert not found.provided
    same = POINT.replace(LOOP, "    return 'no positions within' if {list, tuple} & set(map(type, coord)) else ''\n")
    assert isinstance(compare(POINT, same, CALLS), Agreement)


LARGE = """\
def f(items, limit):
    for item in items:
        if item > limit:
            return True
    return False
"""


def test_a_rewrite_may_look_at_elements_that_the_original_stops_before(compare: Compare) -> None:
    """It raises for numbers and texts in one list, as the original does wherever it comes to the other one."""
    rewrite = "def f(items, limit):\n    return bool(items) and max(items) > limit\n"
    calls = "f([1, 5, 2], 3)\nf(['a', 'b'], 'c')\nf([], 1)\nf(['d', 'b'], 'c')\nf([2, 1], 4)"
    found = compare(LARGE, rewrite, calls)
    assert isinstance(found, Agreement) or found.provided, found

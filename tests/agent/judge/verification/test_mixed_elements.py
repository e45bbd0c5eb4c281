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

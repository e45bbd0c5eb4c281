"""Rewrites that are right as long as something holds that held in every real call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.judge.confirmation import differs
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
from afterburner.agent.judge.verification.search import ENOUGH_PROVIDED
from afterburner.agent.types import Decision

if TYPE_CHECKING:
    from .conftest import Compare

pytestmark = pytest.mark.slow

BRACKETS = """\
def f(limits, incomes):
    found = []
    for income in incomes:
        number = 0
        for limit in limits:
            if income >= limit:
                number += 1
        found.append(number)
    return found
"""
BY_BISECT = """\
from bisect import bisect_right

def f(limits, incomes):
    return [bisect_right(limits, income) for income in incomes]
"""
CALLS = "f([10, 20, 30], [5, 10, 25])\nf([1, 4], [4, 4, 9])\nf([], [3])"


@pytest.mark.nightly
def test_an_assumption_that_every_real_call_keeps_to_makes_it_conditional(compare: Compare) -> None:
    found = compare(BRACKETS, BY_BISECT, CALLS)
    assert isinstance(found, Counterexample)
    assert [each.expression for each in found.provided] == ["list(limits) == sorted(limits)"]
    assert found.inputs_provided is not None
    assert found.inputs_provided > 50
    assert found.condition == (
        f"the same provided that `limits` ascends, as in all 3 recorded calls and {found.inputs_provided} made inputs; "
        'state it with --assume "list(limits) == sorted(limits)"'
    )
    assert "recorded calls (no made input with that was tried);" in replace(found, inputs_provided=0).condition
    assert "as in all 3 recorded calls; state it" in replace(found, inputs_provided=None).condition
    assert found.calls[0].startswith("f([")
    said = compare(BRACKETS, BY_BISECT, CALLS, assume=("list(limits) == sorted(limits)",))
    assert isinstance(said, Agreement)
    assert said.inputs > 50


def test_a_condition_that_hardly_any_input_was_tried_with_is_not_known(compare: Compare) -> None:
    positive = "def f(n):\n    return n if n > 0 else 0"
    found = compare(
        positive, "def f(n):\n    return n", "f(3)\nf(7)", rounds=None, longest_s=0.0, least=ENOUGH_PROVIDED
    )
    assert isinstance(found, Counterexample)
    assert not found.provided
    assert found.remark.startswith("it may be the same provided that ")
    assert ", but time ran out after " in found.remark
    assert differs(found, None).decision is Decision.REFUSED
    assert found.remark in differs(found, None).reason


FIRST_OF_ALL = """\
def f(floors, amount):
    reached = 0
    for number, floor in enumerate(floors):
        if amount >= floor:
            reached = number
    return reached
"""


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("original", "rewrite", "calls", "expression"),
    [
        pytest.param(
            FIRST_OF_ALL,
            "from bisect import bisect_right\ndef f(floors, amount):\n    return bisect_right(floors, amount) - 1\n",
            "f([0, 10, 20], 5)\nf([0, 4], 4)\nf([0, 7, 9], 8)",
            "not floors or floors[0] == 0",
            id="a table begins at 0",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "def f(n):\n    return n % 7\n",
            "def f(n):\n    return n % 7 if abs(n) < 2**30 else n % 7 + n // n\n",
            "f(3)\nf(10)\nf(12)",
            "abs(n) <= 1000000",
            id="a number is far larger than real ones, yet below 2**31",
        ),
    ],
)
def test_what_every_real_call_begins_with_or_stays_below_is_an_assumption(
    compare: Compare, original: str, rewrite: str, calls: str, expression: str
) -> None:
    found = compare(original, rewrite, calls)
    assert isinstance(found, Counterexample)
    assert expression in [each.expression for each in found.provided], (found.line, found.provided)


@pytest.mark.floor
def test_what_is_wrong_within_every_assumption_is_wrong(compare: Compare) -> None:
    found = compare(BRACKETS, BY_BISECT.replace("bisect_right", "bisect_left"), CALLS.replace(", 10, 25]", ", 11, 25]"))
    assert isinstance(found, Counterexample)
    assert not found.provided


def test_a_difference_on_a_real_call_is_no_condition(compare: Compare) -> None:
    found = compare(BRACKETS, BY_BISECT, CALLS + "\nf([3, 1], [2])")
    assert isinstance(found, Counterexample)
    assert not found.provided


FIRST_BEST = """\
def f(rows):
    best = None
    for row in rows:
        if best is None or row[1] > best[1]:
            best = row
    return best
"""
LAST_BEST = "def f(rows):\n    return sorted(rows, key=lambda row: row[1])[-1] if rows else None\n"


@pytest.mark.nightly
def test_rows_that_never_agreed_are_an_assumption(compare: Compare) -> None:
    found = compare(FIRST_BEST, LAST_BEST, "f([('a', 3), ('b', 1)])\nf([('c', 2), ('d', 4), ('e', 1)])")
    assert isinstance(found, Counterexample)
    assert "len({item[1] for item in rows}) == len(rows)" in [each.expression for each in found.provided]


BY_PLACE = """\
def f(values, first=None, last=None):
    first, last = first or [], last or []
    other = sorted(value for value in values if value not in first and value not in last)
    before = sorted((value for value in values if value in first), key=first.index)
    return before + other + sorted((value for value in values if value in last), key=last.index)
"""
BY_LAST_PLACE = """\
def f(values, first=None, last=None):
    head = {value: place for place, value in enumerate(first or [])}
    tail = {value: place for place, value in enumerate(last or [])}
    other = sorted(value for value in values if value not in head and value not in tail)
    before = sorted((value for value in values if value in head), key=head.get)
    return before + other + sorted((value for value in values if value in tail), key=tail.get)
"""


def test_an_argument_that_has_nothing_to_do_with_a_difference_is_no_condition(compare: Compare) -> None:
    """Where another argument has equal elements they differ, whatever `first` is: the calls that show it lack it."""
    calls = (
        "f([4, 0, 7, 8, 1, 9], first=[7, 8], last=[4, 0])\nf([5, 3, 1, 2], first=[3, 1], last=[2, 9])\n"
        "f(list(range(60)), first=list(range(30, 20, -1)), last=list(range(5, 12)))"
    )
    found = compare(BY_PLACE, BY_LAST_PLACE, calls, rounds=2)
    assert isinstance(found, Counterexample)
    # On a busy machine an input beyond the contract may come first, and with it a rule about types, and two rounds may
    # make no input with equal elements in the other argument.
    conditions = {each.expression for each in found.provided if not each.expression.startswith("all(type(")}
    assert conditions
    assert conditions <= {"len(set(first)) == len(first)", "len(set(last)) == len(last)"}
    assert found.inputs_provided


BY_WIDTH = """\
import unicodedata

def f(cell):
    width = 0
    for character in cell:
        if character == "\\t":
            width += 8 - width % 8
        elif not unicodedata.combining(character):
            width += 1
    return width
"""
BY_LENGTH = """\
import unicodedata

def f(cell):
    return sum(not unicodedata.combining(character) for character in cell.expandtabs(8))
"""


def test_blanks_at_the_ends_are_no_condition_where_the_same_within_differs_too(compare: Compare) -> None:
    found = compare(BY_WIDTH, BY_LENGTH, "f('ab')\nf('cd ef')\nf('name')\nf('x\\ty')", rounds=None)
    assert isinstance(found, Counterexample)
    assert not found.remark, "the search came to its end"
    assert "strip()" not in " ".join(each.expression for each in found.provided)


BY_PATTERN = """\
from fnmatch import fnmatchcase

def f(path, glob):
    if len(path) != len(glob):
        return False
    return all(fnmatchcase(each, pattern) for each, pattern in zip(path, glob))
"""


def test_a_pattern_that_does_not_match_itself_is_found_and_no_condition_is_told(compare: Compare) -> None:
    """That the two arguments are equal is the reason, and not how long the first one is."""
    equal_first = BY_PATTERN.replace("    return all", "    if path == glob:\n        return True\n    return all")
    calls = "f(('a', 'b'), ('a', '*'))\nf(('a', 'bcd'), ('a', 'b?d'))\nf(('a', 'x'), ('a', 'b', 'c'))"
    found = compare(BY_PATTERN, equal_first, calls)
    assert isinstance(found, Counterexample)
    assert not found.provided
    assert "['[ab]'" in found.line.replace("(", "[")
    assert found.line.endswith("returned True instead of False")

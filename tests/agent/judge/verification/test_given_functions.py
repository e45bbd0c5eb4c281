"""Rewrites of what works on an object that holds functions without a name, or calls one that it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import WorkloadError
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample

if TYPE_CHECKING:
    from .conftest import Compare

TABLE = """\
class Table:
    def __init__(self):
        self.rows, self.seen = [], []
        self.weigh = lambda row: self.seen.append(row) or row % 5

    def add(self, row):
        self.rows.append(row)

    def heaviest(self):
        best = None
        for row in self.rows:
            if best is None or self.weigh(row) > self.weigh(best):
                best = row
        return best
"""
TABLE_CALLS = """\
for rows in [4, 9, 2, 9, 7], [3, 8]:
    table = Table()
    for row in rows:
        table.add(row)
    table.heaviest()
"""
ONCE = "        return max(self.rows, key=self.weigh)\n"


def test_a_method_that_calls_a_function_its_object_has_made(compare: Compare) -> None:
    head, _, _ = TABLE.partition("        best = None\n")
    found = compare(TABLE, head + ONCE, TABLE_CALLS, function="Table.heaviest", rounds=0)
    assert isinstance(found, Counterexample)
    assert ".seen" in found.line, "what the function keeps is seen, too"
    same = TABLE.replace("        for row in self.rows:\n", "        for row in list(self.rows):\n")
    agreed = compare(TABLE, same, TABLE_CALLS, function="Table.heaviest", rounds=2)
    assert isinstance(agreed, Agreement)
    assert dict(agreed.by_kind)["object that its methods filled"] > 3


RULES = """\
class Rules:
    def __init__(self, default):
        self.default = default
        self.rules = []

    def add(self, name, test):
        self.rules.append((name, test))
        return self

    def classify(self, values):
        found = []
        for value in values:
            for name, test in self.rules:
                if test(value):
                    found.append(name)
                    break
            else:
                found.append(self.default)
        return found
"""
RULES_CALLS = """\
rules = Rules("other").add("small", lambda n: n < 3).add("odd", lambda n: n % 2).add("large", lambda n: n > 90)
rules.classify([1, 5, 8, 100])
rules.classify([2, 4, 7])
"""


def test_a_rule_behind_another_is_asked_only_if_that_does_not_hold(compare: Compare) -> None:
    head, _, _ = RULES.partition("            for name, test")
    eager = (
        head
        + """\
            names = [name for name, test in self.rules if test(value)]
            found.append(names[0] if names else self.default)
        return found
"""
    )
    found = compare(RULES, eager, RULES_CALLS, function="Rules.classify", rounds=3)
    assert isinstance(found, Counterexample)
    assert "raised ValueError" in found.actual
    lazy = (
        head
        + """\
            found.append(next((name for name, test in self.rules if test(value)), self.default))
        return found
"""
    )
    assert isinstance(compare(RULES, lazy, RULES_CALLS, function="Rules.classify", rounds=2), Agreement)


KEEP = "def f(rule, items):\n    return [item for item in items if rule(item)]\n"
KEEP_CALLS = "least = 2\nf(lambda n: n > least, [1, 2, 3])\nf(lambda n: n % 2, [4, 5, 6])"


def test_a_callback_that_the_caller_has_made(compare: Compare) -> None:
    wrong = compare(KEEP, KEEP.replace("if rule(item)", "if rule(item) is True"), KEEP_CALLS, rounds=0)
    assert isinstance(wrong, Counterexample)
    agreed = compare(KEEP, "def f(rule, items):\n    return list(filter(rule, items))\n", KEEP_CALLS, rounds=1)
    assert isinstance(agreed, Agreement)


BOUND = """\
KEY = lambda row: row[0]
FAST = lambda row: row[1]

def f(n):
    global KEY
    if n > 1:
        KEY = FAST
    return KEY
"""


def test_a_function_that_a_call_binds_to_a_variable_is_told_by_no_variable(compare: Compare) -> None:
    with pytest.raises(WorkloadError, match="cannot be compared"):
        compare(BOUND, BOUND.replace("KEY = FAST", "pass"), "f(1)\nf(2)", rounds=1)


OWN = """\
class Lines:
    def __init__(self):
        self.items = []
        self.add = self.items.append
        self.clean = lambda row: row.strip()

    def put(self, rows):
        for row in rows:
            self.add(self.clean(row))
        return len(self.items)
"""


def test_what_a_class_makes_for_itself_is_not_exchanged(compare: Compare) -> None:
    calls = "lines = Lines()\nlines.put([' a', 'b ', 'c'])\nlines.put(['d'])"
    inlined = OWN.replace("self.add(self.clean(row))", "self.items.append(row.strip())")
    assert isinstance(compare(OWN, inlined, calls, function="Lines.put", rounds=2), Agreement)

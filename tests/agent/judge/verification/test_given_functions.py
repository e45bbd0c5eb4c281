"""Rewrites of what works on an object that holds functions without a name, or calls one that it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    agreed = compare(TABLE, same, TABLE_CALLS, function="Table.heaviest", rounds=1)
    assert isinstance(agreed, Agreement)
    assert dict(agreed.by_kind)["object that its methods filled"] > 3


KEEP = "def f(rule, items):\n    return [item for item in items if rule(item)]\n"
KEEP_CALLS = "least = 2\nf(lambda n: n > least, [1, 2, 3])\nf(lambda n: n % 2, [4, 5, 6])"


def test_a_callback_that_the_caller_has_made(compare: Compare) -> None:
    wrong = compare(KEEP, KEEP.replace("if rule(item)", "if rule(item) is True"), KEEP_CALLS, rounds=0)
    assert isinstance(wrong, Counterexample)
    agreed = compare(KEEP, "def f(rule, items):\n    return list(filter(rule, items))\n", KEEP_CALLS, rounds=1)
    assert isinstance(agreed, Agreement)

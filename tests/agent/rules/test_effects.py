"""What a loop may change, as far as the text tells: when in doubt, everything."""

import libcst as cst
import pytest

from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.resolve import resolver_of
from afterburner.agent.rules.analysis.tree import walk

FILE = """
import itertools
import logging
import random
import numpy as np
from dataclasses import dataclass

logger = logging.getLogger(__name__)
BOOK = []

def pure(x):
    parts = []
    for each in x:
        parts.append(each * 2)
    return sum(parts)

def marks(row, key):
    row[key] = True

def marks_seen(row):
    row["seen"] = True

def fills(row):
    BOOK.append(row)

def through(rows):
    for each in rows:
        marks(each, 1)

@dataclass
class Item:
    name: str

    def __post_init__(self):
        self.size = len(self.name)

class Shop:
    def note(self, row):
        self.log.append(row)

    def rename(self, row):
        row.name = "x"

    def swap(self):
        self.rows, self.log = self.log, self.rows

    def total(self):
        return sum(self.rows)

    def run(self, rows, ys, other):
        alias = rows
        made = []
        for row in rows:
            STATEMENT
"""


def is_stable(statement: str, expression: str) -> bool:
    module = cst.parse_module(FILE.replace("STATEMENT", statement))
    run = next(node for node in walk(module) if isinstance(node, cst.FunctionDef) and node.name.value == "run")
    loop = next(node for node in walk(run) if isinstance(node, cst.For))
    effects = Effects(resolver_of(module), run)
    parsed = cst.parse_expression(expression)
    assert effects.is_pure(parsed)
    return effects.is_stable(parsed, effects.changes(loop))


@pytest.mark.parametrize(
    ("statement", "expression"),
    [
        ("print(row)", "max(rows)"),
        ("logger.info('x %s', row)", "max(rows)"),
        ("raise ValueError(rows)", "max(rows)"),
        ("made.append(row)", "max(rows)"),
        ("made.append(Item(row))", "self.rows[0].size"),
        ("pure(rows)", "max(rows)"),
        ("row.seen = True", "row_key.key + max(rows)"),
        ("row['seen'] = True", "ys[0]['key']"),
        ("marks_seen(row)", "ys[0]['key']"),
        ("self.note(row)", "max(self.rows) + max(rows)"),
        ("self.rename(row)", "max(self.rows)"),
        ("fills(row)", "max(rows)"),
        ("random.random()", "max(rows) + self.rows[0]"),
        ("random.shuffle(ys)", "max(rows)"),
        ("list(itertools.combinations(rows, 2))", "max(rows)"),
        ("other(ys)", "max(rows)"),
        ("ys[row] = 1", "max(rows)"),
        ("ys += [row]", "max(rows)"),
        ("row[1].append(2)", "ys[0] + row_key[0]"),
        ("rows[1].append(2)", "rows[0]"),
    ],
)
def test_what_is_out_of_reach_stays_the_same(statement: str, expression: str) -> None:
    assert is_stable(statement, expression)


@pytest.mark.parametrize(
    ("statement", "expression"),
    [
        ("rows.append(row)", "max(rows)"),
        ("rows[1].append(2)", "max(rows)"),
        ("rows[1].append(2)", "rows[1]"),
        ("alias[1].append(2)", "rows[1]"),
        ("rows[1].append(2)", "rows[ys]"),
        ("alias.append(row)", "max(rows)"),
        ("alias[0] = row", "max(rows)"),
        ("rows[row] = 1", "rows[0]"),
        ("row.append(1)", "max(rows)"),
        ("marks(row, 1)", "max(rows)"),
        ("marks(rows, 1)", "max(rows)"),
        ("marks_seen(row)", "ys[0]['seen']"),
        ("through(alias)", "max(rows)"),
        ("self.note(row)", "max(self.log)"),
        ("self.rename(row)", "ys.name"),
        ("self.swap()", "max(self.rows)"),
        ("other(row)", "max(self.rows)"),
        ("other(rows)", "max(rows)"),
        ("other()", "self.total()"),
        ("self.rows.append(row)", "self.total()"),
        ("fills(row)", "max(BOOK)"),
        ("np.copyto(rows, row)", "max(rows)"),
        ("np.seterr(call=other)", "max(self.rows)"),
        ("random.shuffle(rows)", "max(rows)"),
        ("list(map(fills, rows))", "max(BOOK)"),
        ("sorted(rows, key=lambda y: ys.append(y))", "max(ys)"),
        ("other(lambda: ys.clear())", "max(ys)"),
        ("rows = row", "max(rows)"),
        ("del rows[0]", "max(rows)"),
        ("next(rows)", "max(rows)"),
        ("exec('x')", "max(self.rows)"),
        ("setattr(self, 'rows', 1)", "max(self.rows)"),
        ("ys.key = row", "row.key"),
        ("(rows[0], z) = row", "max(rows)"),
        ("rows += [row]", "max(rows)"),
    ],
)
def test_what_may_be_reached_may_change(statement: str, expression: str) -> None:
    assert not is_stable(statement, expression)


@pytest.mark.parametrize(
    "expression",
    [
        "fills(rows)",
        "self.note(rows)",
        "next(rows)",
        "rows.pop()",
        "other(rows)",
        "np.sum(rows)",
        "(x := 1)",
        "print(1)",
    ],
)
def test_what_has_effects_is_not_pure(expression: str) -> None:
    module = cst.parse_module(FILE)
    assert not Effects(resolver_of(module), module).is_pure(cst.parse_expression(expression))

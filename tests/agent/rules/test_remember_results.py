"""remember-results: what is asked for again is the same as when it was computed each time."""

from collections.abc import Callable
from typing import Any

import libcst as cst
import pytest

from afterburner.agent.rules.patterns.remember_results import RememberResults
from afterburner.agent.rules.rule import RuleInput

REPEATED = {
    "a column's width": """
        def f(rows):
            lines = []
            for row in rows:
                cells = []
                for i, cell in enumerate(row):
                    width = max(len(str(other[i])) for other in rows)
                    cells.append(str(cell).ljust(width))
                lines.append("|".join(cells))
            return lines
    """,
    "in comprehensions": """
        def f(rows):
            return [
                [str(row[i]).rjust(max([len(str(other[i])) for other in rows]) + 1) for i in range(len(rows[0]))]
                for row in rows
            ]
    """,
    "two keys and a function": """
        def common(rows, i, j):
            found = 0
            for row in rows:
                found += row[i] == row[j]
            return found

        def f(rows):
            total = []
            for row in rows:
                for i in range(len(row)):
                    for j in range(len(row)):
                        if i != j and common(rows, i, j) > 1:
                            total.append((i, j, row[i]))
            return total
    """,
    "a method's own list": """
        class Table:
            def __init__(self, rows):
                self.rows = rows

            def means(self):
                shares = []
                for row in self.rows:
                    for column in range(len(row)):
                        shares.append(sum(len(str(other[column])) for other in self.rows) / len(self.rows))
                return shares

        def f(rows):
            return Table(rows).means()
    """,
    "a method that is called for each cell": """
        class Table:
            def __init__(self, rows):
                self.rows = rows

            def width(self, column):
                return max(len(str(row[column])) for row in self.rows)

            def means(self):
                return [[str(cell).rjust(self.width(i)) for i, cell in enumerate(row)] for row in self.rows]

        def f(rows):
            return Table(rows).means()
    """,
}


def rewritten(apply: Callable[..., Any], source: str) -> str | None:
    name = "Table.means" if "class Table" in source else "f"
    text: str | None = apply(RememberResults(), source.replace("\n        ", "\n"), name)
    return text


@pytest.mark.parametrize("body", REPEATED.values(), ids=REPEATED)
def test_what_comes_again_is_the_same(apply: Callable[..., Any], agree: Callable[..., None], body: str) -> None:
    after = rewritten(apply, body)
    tables: list[tuple[list[tuple[object, ...]]]] = [
        ([("oak", 1, 2.5), ("birch", 1, 1), ("elm", 1.0, None)],),
        ([("a", 1), ("b",)],),  # too short: fails at the same place
        ([()],),
    ]
    agree(body.replace("\n        ", "\n"), after, "f", tables)
    assert after is not None
    assert after.count("_remembered(") == 2  # the definition, and one use


def test_keys_of_other_types_are_computed_each_time(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    body = """
def f(groups, words):
    found = []
    for group in groups:
        for key in group:
            found.append(repr(key) + str(sum(str(key) in word for word in words)))
    return found
"""
    groups = [[1, 1.0, True, "1"], [0.0, -0.0, None], [(1,), (1.0,)], [[1], {2: 3}]]
    agree(body, apply(RememberResults(), body, "f"), "f", [(groups, ["1", "1.0", "-0.0", "True"]), ([], [])])


OTHERS = {
    "the same in every round": "for a in xs:\n    for b in a:\n        out.append(sum(n for n in ys))",
    "of the outer loop": "for a in xs:\n    out.append(sum(a * n for n in ys))",
    "changed by the loop": "for a in xs:\n    for b in a:\n        out.append(sum(b for n in ys))\n    ys.append(1)",
    "itself changed": "for a in xs:\n    for b in a:\n        out.append(sum(b * n for n in out))",
    "a list of one's own": "for a in xs:\n    for b in a:\n        out.append([b * n for n in ys])",
    "set in the loop": "for a in xs:\n    for b in a:\n        b = b + 1\n        out.append(sum(b * n for n in ys))",
    "with an effect": "for a in xs:\n    for b in a:\n        out.append(sum(print(b) or n for n in ys))",
    "cheap": "for a in xs:\n    for b in a:\n        out.append(len(str(b)))",
    "unknown": "for a in xs:\n    for b in a:\n        out.append(sum(b * n for n in xs.ys))\n        work()",
    "gone through": "zs = iter(ys)\nfor a in xs:\n    for b in a:\n        out.append(sum(b * n for n in zs))",
    "a generator": "for a in xs:\n    for b in a:\n        out.append(sum(b * n for n in ys))\n    yield out",
}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS)
def test_what_may_not_be_kept_is_computed_each_time(apply: Callable[..., Any], body: str) -> None:
    source = "def f(xs, ys, work):\n    out = []\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    after = apply(RememberResults(), source + "    return out\n", "f")
    assert after is None, after


def test_one_result_serves_two_places(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    source = """
def f(rows):
    for row in rows:
        for i in range(2):
            print(max(len(r[i]) for r in rows), row[i].ljust(max(len(r[i]) for r in rows)))
"""
    after = apply(RememberResults(), source, "f")
    agree(source, after, "f", [([("a", "bb"), ("ccc", "d")],), ([],)])
    assert after.count("lambda i:") == 1


def test_a_program_is_rewritten() -> None:
    program = "for row in rows:\n    for i in range(2):\n        print(max(len(r[i]) for r in rows))\n"
    module = cst.parse_module(program)
    output = RememberResults().rewrite(RuleInput(module, module, None))
    assert output is not None
    assert isinstance(output.scope, cst.Module)
    assert "print(value_of(i))" in output.scope.code
    assert "def _remembered(compute):" in output.helpers[0]

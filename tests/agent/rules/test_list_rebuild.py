"""list-rebuild: containers that nobody else holds grow where they stand, all others are still copied."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.list_rebuild import ListRebuild

Apply = Callable[..., Any]
Agree = Callable[..., None]

ROWS = [[1, 2], [], [2, 2, 3], [5]]
GROWN = """
def f(rows):
    out = []
    for row in rows:
        out = out + [row]
        out = out + row + [1, *row] + list(row)
        out = [*out, *row]
        out = [*out, len(out)]
    return out
---
def f(rows):
    first, fib = 1, [1, 1]
    while len(fib) < len(rows):
        fib = fib + [fib[-1] + fib[-2]]  # as Fibonacci did
    return fib, first
---
def f(rows):
    table = {}
    for place, row in enumerate(rows):
        table = {**table, place: row}
        table = {**table, str(place): row, "n": len(table)}
        table = dict(table, last=row)
        table = dict(table, **{str(place) + "x": 1})
        table = table | {place + 10: 3}
        if 3 in table: table = {**table, **{"three": place}}
    return table
---
def f(rows):
    seen: set[int] = set()
    for row in rows:
        for x in row:
            seen = seen | {x}
            seen = {*seen, x + 1}
        seen = seen.union(row, [7])
        seen = seen | set(row)
    return sorted(seen)
---
def f(rows):
    out = []
    for row in rows:
        kept = []
        for x in row:
            kept = kept + [x]
        out.append(kept)
    return out
---
def f(rows):
    done = ()
    for row in rows:
        if row not in done:
            done = done + (row,)
            done += (len(row), len(done))
            done = (*done, *row)
    return done, done + (1,), isinstance(done, tuple), done[1:], len(done), [x for x in done]
---
def f(rows):
    sums = []
    for row in rows:
        parts = (1, 2)
        for x in row:
            parts += (x,)
        sums.append(parts)
        sums.append(sum(parts))
    return sums
---
def f(rows):
    return sum(rows, []), sum([row[1:] for row in rows], start=[]), sum((tuple(row) for row in rows), ())
---
import functools
import operator
def f(rows):
    return functools.reduce(lambda a, b: a + b, rows, []), functools.reduce(operator.add, rows, [])
---
def f(rows):
    out = []
    for row in rows:
        try:
            out = out + [row[0], 1 // row[0], row[1]]
        except IndexError:
            print(out)
    return out
"""
GROWING = """
def collect(rows, groups):
    cells: list[int] = []
    known, index = set(), {}
    pairs = list(rows)
    for row in rows:
        # one more
        cells = cells + [row]  # here
        if row not in known:
            known = known | {row}
            index = {**index, row: len(cells)}
            pairs = pairs + [row, (row, 1)]
            cells += [row + 1]
        if len(index) > 4:
            index = index | {"many": row}
            return cells, index
    return cells, known, index, sum(groups, []), sum(([group] for group in groups), start=[]), pairs + cells
"""

LEFT_ALONE = """
def f(rows, out):
    for row in rows:
        out = out + [row]
    return out
---
def f(rows):
    out = []
    states = []
    for row in rows:
        out = out + [row]
        states.append(out)
    return states
---
def f(rows):
    out = []
    for row in rows:
        before = out
        out = out + [row]
    return out, before
---
def f(rows):
    out = [1]
    for x in out:
        if len(out) < 5:
            out = out + [x]
    return out
---
def f(rows):
    out = []
    later = lambda: out
    for row in rows:
        out = out + [row]
    return later
---
def f(rows):
    out = [1]
    out = out + rows
    return out
---
def f(rows):
    out = []
    for row in rows:
        out = [row] + out
    return out
---
def f(rows):
    out = rows[0]
    for row in rows:
        out = out + [1]
    return out
---
def f(rows):
    out = []
    for row in rows:
        yield out
        out = out + [row]
---
def f(rows):
    table = {1: 1}
    for key in table.items():
        table = {**table, key: 1}
    return table
---
from collections import defaultdict
def f(rows):
    table = defaultdict(list)
    for row in rows:
        table = {**table, 1: row}
    return table
---
def f(rows):
    states = set()
    path = ()
    for row in rows:
        path = path + (row,)
        states.add(path)
    return states
---
def f(rows):
    total = 0
    for row in rows:
        total = total + row
    return total, sum(rows), sum(rows, 0)
---
def f(rows):
    return [sum(rows, [1]), sum([1, 2], [])]
---
def f(rows):
    one = two = []
    for row in rows:
        one = one + [row]
    return one, two
---
def f(rows):
    out = []
    lazy = (x for x in out)
    for row in rows:
        out = out + [row]
    return list(lazy)
---
def f(xs):
    out, done = [], []
    for x in xs:
        out = out + [x]
        done.append(out)
    return done
---
def f(xs, out):
    for x in xs:
        out = out + [x]
    return out
---
def f(xs):
    out = xs
    for x in xs:
        out = out + [x]
    return out
---
def f(xs):
    out = [xs]
    for x in out:
        out = out + [x]
        if len(out) > 9:
            break
    return out
---
def f(xs):
    out = []
    for x in xs:
        out = out + [x]
        yield out
---
def f(xs):
    out = []
    out = out + [xs]
    out += [1]
    return out
---
def f(xs):
    out = {}
    for x in xs:
        out = {x: 1, **out}
    return out
---
def f(xs):
    total = 0
    for x in xs:
        total = total + x
    return total, sum(xs, 0), sum(xs)
"""


@pytest.mark.parametrize("source", GROWN.split("---\n"))
def test_what_grows_is_added_to_and_stays_the_same(source: str, apply: Apply, agree: Agree) -> None:
    after = apply(ListRebuild(), source, "f")
    assert not any(old in after for old in ("out = out", "[*out", "{**table", "seen = ", "done = done", "sum(row"))
    agree(source, after, "f", [(ROWS,), ([],), ([[3]],), ([[[1]], [["a", 2]]],)])
    assert source.count("#") == after.count("#")


@pytest.mark.parametrize("source", LEFT_ALONE.split("---\n"))
def test_what_others_hold_is_still_copied(source: str, apply: Apply) -> None:
    assert apply(ListRebuild(), source, "f") is None


def test_a_tuple_is_made_once_where_it_is_needed(apply: Apply) -> None:
    after = apply(
        ListRebuild(),
        "def f(n):\n    t: tuple[int, ...] = ()\n    for i in range(n):\n        t += (i,)\n    return t\n",
        "f",
    )
    assert after == "def f(n):\n    t = []\n    for i in range(n):\n        t.append(i)\n    return tuple(t)\n"


def test_a_program_and_its_functions_are_treated(apply: Apply) -> None:
    source = "names = []\nfor line in open(0):\n    names = names + [line.strip()]\nprint(names)\n"
    assert "    names.append(line.strip())\n" in apply(ListRebuild(), source)


def test_lists_sets_and_dicts_grow_in_place(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(ListRebuild(), GROWING, "collect")
    assert "        cells.append(row)  # here\n" in after
    assert "            known.add(row)\n" in after
    assert "            index[row] = len(cells)\n" in after
    assert '            index["many"] = row\n' in after
    assert "            cells.append(row + 1)\n" in after
    assert "            pairs.extend([row, (row, 1)])\n" in after
    assert "list(itertools.chain.from_iterable(groups))" in after
    rng = random.Random(0)
    calls = [
        ([rng.randint(0, 6) for _ in range(rng.randint(0, 9))], [[rng.randint(0, 3)] for _ in range(rng.randint(0, 3))])
        for _ in range(50)
    ]
    agree(GROWING, after, "collect", [*calls, ([], []), (None, [])])

"""list-rebuild: containers grow in place where nobody can see the difference."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.list_rebuild import ListRebuild

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
    out = [0]
    for x in xs:
        out = out + [out[-1] + x]
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
    out = {}
    for x in xs:
        out = {**out, next(x): next(x)}
    return out
---
def f(xs):
    total = 0
    for x in xs:
        total = total + x
    return total, sum(xs, 0), sum(xs)
"""


def test_lists_sets_and_dicts_grow_in_place(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(ListRebuild(), GROWING, "collect")
    assert "        cells.append(row)  # here\n" in after
    assert "            known.add(row)\n" in after
    assert "            index[row] = len(cells)\n" in after
    assert '            index["many"] = row\n' in after
    assert "            pairs.extend([row, (row, 1)])\n" in after
    assert "list(itertools.chain.from_iterable(groups))" in after
    rng = random.Random(0)
    calls = [
        ([rng.randint(0, 6) for _ in range(rng.randint(0, 9))], [[rng.randint(0, 3)] for _ in range(rng.randint(0, 3))])
        for _ in range(50)
    ]
    agree(GROWING, after, "collect", [*calls, ([], []), (None, [])])


@pytest.mark.parametrize("source", LEFT_ALONE.split("---\n"))
def test_containers_that_others_may_see_are_left_alone(apply: Callable[..., Any], source: str) -> None:
    assert apply(ListRebuild(), source, "f") is None

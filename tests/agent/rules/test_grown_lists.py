"""grown-lists: what was collected is found by its key, and is the same as before."""

import random
from collections.abc import Callable
from typing import Any

import pytest

# ruff: noqa: E501 - a refused function is one line each
from afterburner.agent.rules.patterns.grown_lists import GrownLists

NAN = float("nan")

GROWN = {
    "a flag": """
def f(rows):
    kept = []
    for row in rows:
        found = False
        for other in kept:
            if other["key"] == row["key"]:
                other["count"] = other.get("count", 0) + 1
                found = True
                break
        if not found:
            kept.append(row)  # new
    return kept
""",
    "a flag and nothing else": """
def f(rows):
    kept = []
    for row in rows:
        is_known = False
        for other in kept:
            if other["key"] == row["key"]:
                is_known = True
                break
        if not is_known:
            kept.append(row)
    return kept
""",
    "in a list of parts": """
def f(rows):
    kept = []
    for row in rows:
        if row["key"] not in [other["key"] for other in kept]:
            kept.append(row)
    return kept
""",
    "else and a table of counts": """
def f(rows):
    table: list = []
    for row in rows:
        for entry in table:
            if entry[0] == row["key"]:
                entry[1] += 1
                break
        else:
            table.append([row["key"], 1])
    return table
""",
    "groups": """
def f(rows):
    groups = []
    for n, row in enumerate(rows):
        for group in groups:
            if group[0] == row["key"]:
                group[1].append(n)
                break
        else:
            groups.append((row["key"], [n]))
    return groups
""",
    "any": """
def f(rows):
    kept = []
    for row in rows:
        if not any(row["key"] == other["key"] for other in kept):
            kept.append(row)
        print(len(kept))
    return kept
""",
    "indexes": """
def f(rows):
    keys = []
    sizes = []
    for row in rows:
        for j in range(len(keys)):
            if keys[j] == row["key"]:
                sizes[j] += 1
                break
        else:
            keys.append(row["key"])
            sizes.append(1)
    return keys, sizes
""",
    "two ways in and a new list in every round": """
def f(rows):
    out = []
    for n in range(2):
        kept = []
        i = 0
        while i < len(rows):
            same = [other for other in kept if other["key"] == rows[i]["key"]]
            if len(same) > n:
                out.append(same[-1])
            if n:
                kept.append(rows[i])
            else:
                kept.append(dict(rows[i]))
            i += 1
    return out
""",
}


@pytest.mark.parametrize("body", GROWN.values(), ids=GROWN.keys())
def test_collecting_gives_the_same(apply: Callable[..., Any], agree: Callable[..., None], body: str) -> None:
    after = apply(GrownLists(), body, "f")
    assert "_note(" in after
    rng = random.Random(4)
    for kinds in ([1, 2, 3], [1, 1.0, True, "a"], [NAN, float("nan"), 2], [[1], [2], (1,), 3], [None, "b", ("a", 1)]):
        calls = [([{"key": rng.choice(kinds)} for _ in range(rng.randrange(9))],) for _ in range(40)]
        agree(body, after, "f", calls)
    agree(body, after, "f", [([{"key": 1}, {}],), ([{"key": [1]}, {"key": {}}, {"key": [1]}],), (5,), ([3],)])


@pytest.mark.parametrize(
    "body",
    [
        "kept = []\n    for x in xs:\n        for y in kept:\n            if x == y:\n                kept.remove(y)\n        kept.append(x)",
        "kept = [0]\n    for x in xs:\n        for y in kept:\n            if x == y:\n                break\n        else:\n            kept.append(x)",
        "kept = []\n    for x in xs:\n        for y in kept:\n            if x == y:\n                break\n        else:\n            kept.append(x)\n    kept = g(kept)",
        "kept = []\n    for x in xs:\n        for y in kept:\n            if x.a == y.a:\n                y.a += 1\n        kept.append(x)",
        "kept = []\n    for x in xs:\n        for y in kept:\n            if x[0] == y[0]:\n                break\n        kept.append(x)\n        x[g] = 1",
        "kept = []\n    for x in xs:\n        for y in kept:\n            if x == y:\n                break\n        kept.append(x)\n        g(kept)",
        "kept = []\n    for x in xs:\n        for y in kept:\n            if x == y:\n                kept.append(x)",
        "kept = []\n    for x in xs:\n        for y in kept:\n            if x == y:\n                break\n        kept.insert(0, x)",
        "kept = []\n    other = kept\n    for x in xs:\n        for y in kept:\n            if x == y:\n                break\n        kept.append(x)\n        other.clear()",
        "kept = []\n    for x in xs:\n        for y in kept:\n            if x < y:\n                break\n        kept.append(x)",
    ],
)
def test_lists_that_do_more_than_grow_stay(apply: Callable[..., Any], body: str) -> None:
    assert apply(GrownLists(), f"def f(xs, g):\n    {body}\n    return kept\n", "f") is None


def test_a_program_is_rewritten(apply: Callable[..., Any]) -> None:
    source = "seen = []\nfor w in input().split():\n    for s in seen:\n        if s == w:\n            break\n    else:\n        seen.append(w)\nprint(seen)\n"
    module_level = "def f():\n" + "".join(f"    {line}\n" for line in source.splitlines())
    assert "seen_by_value = _note(seen_by_value, seen[-1], lambda s: s)" in apply(GrownLists(), module_level, "f")

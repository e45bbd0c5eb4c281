"""counted-loops: a range counts what a while counted, and only where nobody would notice."""

from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.counted_loops import CountedLoops

NESTED = """
def f(xs, k):
    found = []

    # every pair
    i = 0
    while i < len(xs):
        j = i + 1
        while j <= len(xs) - 1:
            # compare
            if xs[i] + xs[j] == k:
                found.append((i, j))
                if k == 3:
                    break
            j = j + 1
        else:
            print(i)
        i += 1
    n = -3
    while n < 4:
        for x in xs:
            if x == n:
                continue
            print(n, x)
        n += 2
    return found
"""


def test_counting_loops_become_ranges(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(CountedLoops(), NESTED, "f")
    assert "\n\n    # every pair\n    for i in range(len(xs)):\n" in after
    assert "        for j in range(i + 1, len(xs)):\n            # compare\n" in after
    assert "    for n in range(-3, 4, 2):" in after
    agree(NESTED, after, "f", [([1, 2, 3, 4], 5), ([1, 2, 0, 3], 3), ([], 1), ([1.5, 1.5], 3), (5, 1), (["a"], 1)])


def test_two_loops_may_share_a_counter(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    source = """
def f(xs):
    i = 0
    while i < len(xs):
        print(xs[i])
        i += 1
    i = 1
    while i < len(xs):
        print(-xs[i])
        i += 1
"""
    after = apply(CountedLoops(), source, "f")
    assert after.count("for i in range(") == 2
    agree(source, after, "f", [([1, 2],), ([],), ([3],)])


@pytest.mark.parametrize(
    "body",
    [
        "i = 0\n    while i < len(xs):\n        print(i)\n        i += 1\n    return i",
        "i = 0\n    while i < len(xs):\n        xs.pop()\n        i += 1",
        "i = 0\n    while i < len(xs):\n        if xs[i]:\n            continue\n        print(i)\n        i += 1",
        "i = 0\n    while i < len(xs):\n        if xs[i]:\n            i += 1\n        i += 1",
        "i = 0\n    while i < len(xs):\n        i += 1\n        print(i)",
        "i = 0\n    while i < len(xs) and xs[i]:\n        print(i)\n        i += 1",
        "i = 0\n    while i < i + 1:\n        print(i)\n        i += 1",
        "i = 0\n    while i < len(xs):\n        print(i)\n        i -= 1",
        "i = 0\n    print(xs)\n    while i < len(xs):\n        print(i)\n        i += 1",
        "i = 0\n    while i < xs.n:\n        xs.n -= 1\n        i += 1",
        "i = 0\n    while i < xs.n:\n        xs.g()\n        i += 1",
        "i = 0\n    def g():\n        return i\n    i = 0\n    while i < len(xs):\n        print(g())\n        i += 1",
        "i = 0\n    while i < len(xs):\n        i += 1",
        "i = 0\n    while i < len(xs):\n        print(xs)\n        i += 1\n    else:\n        print(i)",
        "i = 0\n    while i < len(xs) / 2:\n        print(i)\n        i += 1",
        "i = 0.0\n    while i < len(xs):\n        print(i)\n        i += 1",
        "global i\n    i = 0\n    while i < len(xs):\n        print(i)\n        i += 1",
    ],
)
def test_loops_that_do_more_than_count_stay(apply: Callable[..., Any], body: str) -> None:
    assert apply(CountedLoops(), f"def f(xs):\n    {body}\n", "f") is None

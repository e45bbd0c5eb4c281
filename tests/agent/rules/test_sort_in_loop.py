"""sort-in-loop: lists that are sorted after each addition are kept in order."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.sort_in_loop import SortInLoop

MEDIANS = """
def medians(values):
    seen, found = [], []
    ranked = sorted(values[:2], key=lambda pair: -pair[0])
    for value in values:
        seen.append(value)
        seen.sort()  # in order
        found.append(seen[len(seen) // 2])
        ranked.append(value)
        ranked = sorted(ranked, key=lambda pair: -pair[0])
        if len(seen) > 5:
            seen.pop(0)
            del ranked[-1]
    return found, seen, ranked
"""

JOBS = """
def order(jobs):
    waiting: list = list(jobs)
    done = []
    while len(waiting) > 0:
        waiting.sort(key=lambda job: job[0])
        # the most urgent one
        urgency, name = waiting.pop(0)
        done.append((urgency, name, len(waiting)))
        if urgency < 3:
            waiting.append((urgency + 2, name))
        elif not waiting:
            continue
    return done, waiting
"""

LEFT_ALONE = """
def f(xs):
    kept = list(xs)
    for x in xs:
        kept.append(x)
        kept.sort()
    return kept
---
def f(xs):
    kept = []
    for x in xs:
        kept.append(x)
        kept.sort(reverse=True)
    return kept
---
def f(xs):
    kept = []
    for x in xs:
        kept.append(x)
        kept.sort()
        kept[0] = x
    return kept
---
def f(xs):
    kept = []
    for x in xs:
        kept.append(x)
        kept.sort()
        note(kept)
    return kept
---
def f(xs):
    kept = []
    for x in xs:
        kept.append(x)
        kept.sort(key=lambda each: each.age)
        x.age += 1
    return kept
---
def f(xs, dist):
    kept = [xs]
    while kept:
        kept.sort(key=lambda each: dist[each])
        node = kept.pop(0)
        dist[node] = 1
        kept.append(node)
---
def f(xs):
    kept = [xs]
    while kept:
        kept.sort()
        kept.append(1)
        print(kept[0])
---
def f(xs):
    kept = [xs]
    while kept:
        kept.sort()
        kept.pop(0)
        kept.append(1)
        if xs:
            break
    return kept
---
def f(xs):
    kept = [xs]
    for x in xs:
        kept.append(x)
    kept.sort()
    return kept
"""


def test_what_is_added_and_sorted_is_inserted_in_order(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(SortInLoop(), MEDIANS, "medians")
    assert after.startswith("import bisect\n")
    assert "        bisect.insort(seen, value)\n" in after
    assert "        bisect.insort(ranked, value, key=lambda pair: -pair[0])\n" in after
    assert "sort()" not in after
    rng = random.Random(0)
    rows = [[(rng.randint(0, 3), rng.randint(0, 9)) for _ in range(rng.randint(0, 12))] for _ in range(50)]
    agree(MEDIANS, after, "medians", [*((row,) for row in rows), ([(1, "a"), (1, 2)],), (None,), ([1, 2],)])


def test_a_loop_that_sorts_first_sorts_once(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(SortInLoop(), JOBS, "order")
    assert "    waiting.sort(key=lambda job: job[0])\n    while len(waiting) > 0:\n" in after
    assert "bisect.insort(waiting, (urgency + 2, name), key=lambda job: job[0])" in after
    rng = random.Random(1)
    rows = [[(rng.randint(0, 3), rng.choice("abc")) for _ in range(rng.randint(0, 12))] for _ in range(50)]
    agree(JOBS, after, "order", [*((row,) for row in rows), ([],), ([(1, "a"), ("b", 1)],), (7,)])


@pytest.mark.parametrize("source", LEFT_ALONE.split("---\n"))
def test_lists_are_left_alone_when_their_order_could_be_another(apply: Callable[..., Any], source: str) -> None:
    assert apply(SortInLoop(), source, "f") is None

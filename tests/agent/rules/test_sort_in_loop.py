"""sort-in-loop: a list is in the same order wherever its order matters, equal elements included."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.sort_in_loop import SortInLoop

Apply = Callable[..., Any]
Agree = Callable[..., None]

KEPT = """
def f(xs):
    best, medians = [], []
    for x in xs:
        best.append(x)
        best.sort()
        medians.append(best[len(best) // 2])
    return medians, best
---
def f(xs):
    best = []
    for x in xs:
        best.append(x)
        if len(best) > 3:
            best = sorted(best, key=lambda each: each[0])
            print(best.pop())
        else:
            best = sorted(best, key=lambda each: each[0])
    return best
---
def f(xs):
    queue, order = [(3, 0)], []
    while queue:
        queue.sort()
        first = queue.pop(0)
        order.append(first)
        if first[0] > 0:
            for x in xs[:2]:
                queue.append((first[0] - 1, x[1]))
        if len(order) > 50:
            break
    return order
---
def f(xs):
    queue = list(xs)
    last = None
    while len(queue) > 1:
        queue.sort(key=lambda each: each[0])
        first, second = queue.pop(0), queue.pop(0)
        last = (first[0] + second[0], first[1])
        queue.append(last)
    return last, len(queue)
---
def f(xs):
    queue = []
    for x in xs:
        queue.append(x)
    total = 0
    while queue:
        queue.sort()  # the smallest first
        total += queue.pop(0)[0]
        if total % 2 and xs:
            queue.append(xs.pop())
            continue
        if total > 40:
            return total, len(queue)
    return total
---
def f(xs):
    seen, found = [], []
    for x in xs:
        seen.append(x)
        ordered = sorted(seen, key=lambda each: each[0])
        ordered.reverse()
        found.append((ordered, sorted(seen, key=lambda each: each[0])[0], seen[-1]))
    return found, seen
---
def f(xs):
    groups = {}
    for x in xs:
        group = []
        for y in xs:
            if y[0] >= x[0]:
                group.append(y)
                group.sort()
            del group[4:]
        groups[x] = group
    return groups
"""
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
    found = []
    for x in xs:
        ordered = []
        for y in xs:
            ordered.append((x, y))
        ordered.sort()  # once for each list
        found.append(ordered)
    return found
---
def f(xs):
    best = []
    for x in xs:
        best.append(x)
        print(best[0])
        best.sort()
    return best
---
def f(xs):
    best = []
    for x in xs:
        best.append(x)
    best.sort()
    return best
---
def f(xs, best):
    for x in xs:
        best.append(x)
        best.sort()
---
def f(xs):
    best = []
    for x in xs:
        best.append(x)
        best.sort(reverse=True)
    return best
---
def f(xs):
    best, cost = [], {}
    for x in xs:
        cost[x] = len(cost) % 3
        best.append(x)
        best.sort(key=lambda each: cost[each])
    return best
---
def f(xs):
    queue = [(1, 1)]
    while queue:
        queue.sort()
        queue.pop(0)
        if len(xs) > 1:
            queue.append(xs.pop())
    queue.append((3, 3))
    queue.append((1, 1))
    while queue:
        print(queue.pop())
        queue.sort()
        queue.append(xs[0])
        queue.append(xs[-1])
        if len(queue) > 4:
            return queue
---
def f(xs):
    best = []
    for x in xs:
        best.append(x)
        if x[0] > 1:
            best.sort()
    return best
---
def f(xs):
    best = []
    keep(best)
    for x in xs:
        best.append(x)
        best.sort()
---
def f(xs):
    best = []
    for x in xs:
        best.insert(0, x)
        best.sort()
    return best
---
def f(xs):
    best = []
    for x in xs:
        best.append(x)
        try:
            check(x)
            best.sort()
        except ValueError:
            pass
    return best
---
def f(xs):
    best = []
    for x in xs:
        best.append(x)
        for y in best:
            best.sort()
    return best
---
def f(xs):
    seen = []
    for x in xs:
        seen.append(x)
        seen[0] = x
        print(sorted(seen))
---
def f(xs):
    seen = []
    for x in xs:
        print(sorted(x))
        seen.append(x)
    return sorted(seen)
---
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


def lists() -> list[tuple[Any]]:
    rng = random.Random(5)
    sizes = (0, 1, 2, 3, 7, 12)
    return [([(rng.choice([0, 1, 1.0, True, 2, 3]), rng.randrange(3)) for _ in range(size)],) for size in sizes]


@pytest.mark.parametrize("source", KEPT.split("---\n"))
def test_the_order_is_the_one_that_sorting_gave(source: str, apply: Apply, agree: Agree) -> None:
    after = apply(SortInLoop(), source, "f")
    assert "bisect.insort(" in after
    agree(source, after, "f", lists())


@pytest.mark.parametrize("source", LEFT_ALONE.split("---\n"))
def test_lists_are_left_alone_whose_order_could_be_seen_or_gains_nothing(source: str, apply: Apply) -> None:
    assert apply(SortInLoop(), source, "f") is None


def test_a_list_that_starts_in_any_order_is_sorted_before_the_loop(apply: Apply) -> None:
    after = apply(SortInLoop(), KEPT.split("---\n")[3], "f")
    assert "    queue.sort(key=lambda each: each[0])\n    while len(queue) > 1:\n        first, second" in after


def test_sorted_copies_come_from_a_list_beside(apply: Apply) -> None:
    after = apply(SortInLoop(), KEPT.split("---\n")[5], "f")
    assert "seen_sorted = []" in after
    assert "ordered = seen_sorted.copy()" in after
    assert "seen_sorted[0], seen[-1]" in after


def test_a_program_uses_the_imported_function(apply: Apply) -> None:
    source = (
        "from bisect import insort\nxs = []\nfor line in open(0):\n    xs.append(line)\n    xs.sort()\n    print(xs)\n"
    )
    assert "    insort(xs, line)\n    print(xs)" in apply(SortInLoop(), source)


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

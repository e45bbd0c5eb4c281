"""deque: lists whose front moves become deques, and come back as lists."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.deque_queue import DequeQueue

SEARCH = """
def distances(graph, start):
    queue: list[tuple[int, int]] = [(start, 0)]
    order, waiting = [], [start]
    while len(queue) > 0:
        # nearest first
        node, distance = queue.pop(0)  # the oldest
        if node in order:
            continue
        order.insert(0, node)
        for other in graph.get(node, ()):
            queue.append((other, distance + 1))
            waiting = [other] + waiting
    if not order:
        return waiting
    return order, waiting[:2], waiting == [], f"{order}"
"""

ROUNDS = """
def rounds(names, step):
    circle = list(names)
    out = []
    while circle != [] and len(out) < 50:
        for _ in range(step):
            circle.append(circle[0])
            del circle[0]
        first = circle[0]
        circle = circle[1:]
        out.append(first)
        print(circle)
        circle += [] if circle == [] else [circle[0]][:0]
    return sorted(out), circle, out + circle
"""

COPY = """
def drain(jobs, log):
    left = jobs[:]
    while left:
        job = left.pop(0)
        log.append(job)
        if job in left and max(left) == job:
            left.clear()
    log.append(left)
    return len(jobs)
"""

LEFT_ALONE = """
def f(xs):
    while xs:
        print(xs.pop(0))
---
def f(xs):
    queue = list(xs)
    return [queue.pop(0) for _ in range(3)]
---
def f(xs):
    queue = [xs]
    while queue:
        queue.sort()
        queue.pop(0)
---
def f(xs):
    queue = [xs]
    while queue:
        print(queue.pop(1))
---
def f(xs):
    queue = [xs]
    while queue:
        grow(queue)
        queue.pop(0)
---
def f(xs):
    queue = [xs]
    while queue:
        for x in queue:
            queue.pop(0)
---
def f(xs):
    queue = other = [xs]
    while queue:
        queue.pop(0)
    return other
---
def f(xs):
    queue = [xs]
    out = []
    while queue:
        out.append(queue)
        queue = queue[1:]
    return out
---
def f(xs):
    queue = [xs]
    def more():
        queue.append(1)
    while queue:
        queue.pop(0)
        more()
---
def f(text):
    while text:
        first = text[0]
        text = text[1:]
---
def f(xs):
    queue = [xs]
    queue.pop(0)
    while queue:
        queue.pop()
    return queue
---
def f(xs, i):
    queue = list(xs)
    while queue:
        print(queue[i])
        queue.pop(0)
"""


def test_searches_use_deques_and_give_lists(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(DequeQueue(), SEARCH, "distances")
    assert after.startswith("import collections\n")
    assert "queue: collections.deque[tuple[int, int]] = collections.deque([(start, 0)])" in after
    assert "node, distance = queue.popleft()  # the oldest" in after
    assert "order.appendleft(node)" in after
    assert "waiting.appendleft(other)" in after
    rng = random.Random(0)
    graphs = [{a: [rng.randint(0, 6) for _ in range(2)] for a in range(5)} for _ in range(20)]
    agree(SEARCH, after, "distances", [*((graph, 0) for graph in graphs), ({}, 1), ({1: None}, 1), (None, 1)])


def test_what_is_printed_and_returned_stays_a_list(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(DequeQueue(), f"from collections import deque as dq\n{ROUNDS}", "rounds")
    assert "circle = dq(names)" in after
    assert "while circle and" in after
    assert after.count("circle.popleft()") == 2
    assert "print(list(circle))" in after
    rng = random.Random(1)
    calls = [([rng.randint(0, 9) for _ in range(rng.randint(0, 8))], rng.randint(0, 4)) for _ in range(50)]
    agree(ROUNDS, after, "rounds", [*calls, (None, 1), ("abc", 1), ([1, "a"], 1)])


def test_a_copy_with_pops_at_its_front_is_a_list(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(DequeQueue(), COPY, "drain")
    assert "left = collections.deque(jobs[:])" in after
    assert "log.append(list(left))" in after
    agree(COPY, after, "drain", [([3, 1, 3, 2], []), ([], [1]), (["b", "a"], []), ([1, "a"], []), (5, [])])


@pytest.mark.parametrize("source", LEFT_ALONE.split("---\n"))
def test_lists_are_left_alone_when_a_deque_could_be_noticed(apply: Callable[..., Any], source: str) -> None:
    assert apply(DequeQueue(), source, "f") is None

"""Extremes without sorting: the same element among equal ones, the same error for nothing."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.sorted_extremes import SortedExtremes

Apply = Callable[..., str | None]
Agree = Callable[..., None]

EXPRESSIONS = [
    "sorted(x)[0]",
    "sorted(x)[-1]",
    "sorted(x)[1]",
    "sorted(x)[-2]",
    "sorted(x, reverse=True)[0]",
    "sorted(x, reverse=True)[-1]",
    "sorted(x, key=lambda v: v[0])[0]",
    "sorted(x, key=lambda v: v[0])[-1]",
    "sorted(x, key=lambda v: -v[0], reverse=True)[2]",
    "sorted(x)[:3]",
    "sorted(x)[:0]",
    "sorted(x, reverse=True)[:2]",
    "sorted(x, key=lambda v: v[0])[-3:]",
    "sorted(x, key=lambda v: v[0], reverse=True)[-2:]",
    "sorted(x)[:k]",
    "sorted((v for v in x), key=lambda v: v[0])[:k]",
    "sorted(v for v in x)[0]",
]
LEFT_ALONE = [
    "sorted(x)[k]",
    "sorted(x)[::2]",
    "sorted(x)[1:]",
    "sorted(x)[:-1]",
    "sorted(x, reverse=k)[0]",
    "sorted(x)[500]",
]


def lists() -> list[tuple[list[Any], int]]:
    rng = random.Random(3)
    calls: list[tuple[list[Any], int]] = [([], 2), ([(1, True)], -1), ([(1, 2), (True, 3), (1.0, 1)], 2)]
    for size in (1, 2, 3, 9, 30):
        values = [(rng.choice([1, 1.0, True, 2, 2.0, 3]), rng.randrange(3)) for _ in range(size)]
        calls += [(values, count) for count in (-1, 0, 1, 4)]
    return calls


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_same_elements_in_the_same_order(expression: str, apply: Apply, agree: Agree) -> None:
    before = f"def f(x, k):\n    return {expression}\n"
    after = apply(SortedExtremes(), before, "f")
    agree(before, after, "f", lists())
    assert "heapq" in str(after)


@pytest.mark.parametrize("expression", LEFT_ALONE)
def test_what_needs_the_order_is_left_alone(expression: str, apply: Apply) -> None:
    assert apply(SortedExtremes(), f"def f(x, k):\n    return {expression}\n", "f") is None


@pytest.mark.parametrize(
    "guard",
    [
        "    if not x:\n        return None\n    return sorted(x, key=lambda v: v[0])[-1]\n",
        "    while x:\n        return sorted(x, key=lambda v: v[0])[0]\n",
        "    return sorted(x, key=lambda v: v[0])[0] if len(x) > 0 else 5\n",
    ],
)
def test_min_and_max_serve_where_there_is_an_element(guard: str, apply: Apply, agree: Agree) -> None:
    before = f"def f(x, k):\n{guard}"
    after = apply(SortedExtremes(), before, "f")
    agree(before, after, "f", lists())
    assert "heapq" not in str(after)


def test_a_variable_of_which_the_first_few_are_read_holds_just_these(apply: Apply, agree: Agree) -> None:
    before = (
        "def f(x, k):\n    best = sorted(x, key=lambda v: v[0])\n    if not best:\n        return 0\n"
        "    return best[0], best[:3], best[0][1]\n"
    )
    after = apply(SortedExtremes(), before, "f")
    agree(before, after, "f", lists())
    assert "heapq.nsmallest(3, x, key=lambda v: v[0])" in str(after)


def test_a_variable_that_is_gone_through_stays_sorted(apply: Apply) -> None:
    before = "def f(x, k):\n    best = sorted(x)\n    for v in best:\n        k += v\n    return best[0], k\n"
    assert apply(SortedExtremes(), before, "f") is None


def test_a_function_of_that_name_is_not_the_builtin(apply: Apply) -> None:
    before = "def sorted(x):\n    return x\n\n\ndef f(x):\n    return sorted(x)[0]\n"
    assert apply(SortedExtremes(), before, "f") is None

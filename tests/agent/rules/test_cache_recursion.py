"""cache-recursion: only pure recursion with hashable arguments and unchangeable results gets a cache."""

# ruff: noqa: E501 - a refused function is one line each

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.cache_recursion import CacheRecursion

STAIRS = """

# ruff: noqa: E501 - a refused function is one line each
LIMIT = 3

def ways(n, step=1):
    # count the ways
    if n <= 0:
        return 1 if n == 0 else n / 2
    total = 0
    for k in range(1, LIMIT):
        total += ways(n - k, step)
    return total
"""

DISTANCE = """
import functools as ft

class Words:
    @staticmethod
    def distance(a: str, b: str) -> int:
        if not a or not b:
            return len(a) or len(b)
        if a[0] == b[0]:
            return Words.distance(a[1:], b[1:])
        return 1 + min(Words.distance(a[1:], b), Words.distance(a, b[1:]), Words.distance(a[1:], b[1:]))

    def knapsack(self, items, room):
        n = len(items)

        def best(i, left):
            if i == n:
                return 0
            weight, value = items[i]
            skipped = best(i + 1, left)
            return max(skipped, value + best(i + 1, left - weight)) if weight <= left else skipped

        return best(0, room)
"""


def test_a_function_that_calls_itself_twice_gets_a_cache(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(CacheRecursion(), STAIRS, "ways")
    assert "@functools.lru_cache(maxsize=None, typed=True)\ndef ways" in after
    assert "    # count the ways\n" in after
    agree(STAIRS, after, "ways", [(n,) for n in (0, 1, 9, 2.5, 4.0, -3, True)])


def test_results_of_equal_arguments_of_other_types_stay_apart(apply: Callable[..., Any]) -> None:
    after = apply(CacheRecursion(), STAIRS, "ways")
    namespace = {}
    exec(after, namespace)  # noqa: S102 - our own text
    assert [repr(namespace["ways"](x)) for x in (-1, -1.0, -2, -2.0)] == ["-0.5", "-0.5", "-1.0", "-1.0"]
    assert namespace["ways"].cache_parameters()["typed"]


def test_static_methods_keep_their_decorator_outside(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(CacheRecursion(), DISTANCE, "Words.distance")
    assert "    @staticmethod\n    @ft.lru_cache(maxsize=None, typed=True)\n    def distance" in after
    words = ["", "a", "kitten", "sitting", "abcab"]
    agree(DISTANCE, after, "Words.distance", itertools.product(words, words))


def test_recursion_inside_a_function_is_cached_for_each_call(
    apply: Callable[..., Any], agree: Callable[..., None]
) -> None:
    after = apply(CacheRecursion(), DISTANCE, "Words.knapsack")
    assert "        @ft.lru_cache(maxsize=None, typed=True)\n        def best" in after
    agree(
        DISTANCE,
        after,
        "Words.knapsack",
        [(None, [(1, 2), (3, 4), (2, 3), (2, 2.5)], 5), (None, [], 3), (None, [(3, 3)], 1), (None, [(1,)], 1)],
    )


REFUSED = {
    "one call on each path": "def f(n):\n    if n > 5:\n        return f(n - 5)\n    return f(n + 1) if n else 0\n",
    "prints": "def f(n):\n    print(n)\n    return f(n - 1) + f(n - 2) if n > 1 else n\n",
    "gives lists": "def f(n):\n    return f(n - 1) + f(n - 2) if n > 1 else [n]\n",
    "gives a list it named": "def f(n):\n    out = []\n    if n > 1:\n        out += f(n - 1) + f(n - 2)\n    return out\n",
    "gives lists in tuples": "def f(n):\n    return (0, sorted('b')) if n < 2 else (f(n - 1), f(n - 2))\n",
    "gives a list of a helper": (
        "def g(a, b):\n    return list(a)\ndef f(n):\n    return g(f(n - 1), f(n - 2)) if n > 1 else ''\n"
    ),
    "takes lists": "def f(xs: list[int]):\n    return f(xs[1:]) + f(xs[2:]) if xs else 0\n",
    "passes lists": "def f(x):\n    return f([1]) + f([2]) if x else 0\n",
    "reads what changes": "limits = [1]\ndef f(n):\n    return f(n - 1) + f(n - 2) if n > limits[0] else n\n",
    "reads what is rebound": (
        "base = 1\ndef g():\n    global base\n    base += 1\ndef f(n):\n    return f(n - 1) + f(n - 2) if n > base else n\n"
    ),
    "counts its calls": "def f(n):\n    f.calls += 1\n    return f(n - 1) + f(n - 2) if n > 1 else n\n",
    "changes its argument": "def f(n, seen):\n    seen.append(n)\n    return f(n - 1, seen) + f(n - 2, seen) if n > 1 else n\n",
    "reads attributes": "def f(node):\n    return 1 + max(f(node.left), f(node.right)) if node else 0\n",
    "a generator": "def f(n):\n    if n:\n        yield n\n        yield from f(n - 1)\n        yield from f(n - 2)\n",
    "a coroutine": "async def f(n):\n    return (await f(n - 1)) + (await f(n - 2)) if n > 1 else n\n",
    "calls the unknown": "def f(n, g):\n    return g(f(n - 1, g), f(n - 2, g)) if n > 1 else n\n",
    "random": "import random\ndef f(n):\n    return f(n - 1) + f(n - 2) if n > 1 else random.random()\n",
    "has a cache": "import functools\n@functools.cache\ndef f(n):\n    return f(n - 1) + f(n - 2) if n > 1 else n\n",
    "is rebound": "def f(n):\n    return f(n - 1) + f(n - 2) if n > 1 else n\nf = str(f)\n",
    "a name around that changes": (
        "def f(xs):\n    n = 0\n    def g(i):\n        return g(i - 1) + g(i - 2) if i > n else 1\n    a = g(5)\n    n = 2\n"
        "    return a + g(5)\n"
    ),
    "a list around that changes": (
        "def f(xs):\n    def g(i):\n        return g(i - 1) + g(i - 2) if i > xs[0] else 1\n    a = g(5)\n    xs[0] = 2\n"
        "    return a + g(5)\n"
    ),
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_a_cache_that_would_be_noticed_is_not_offered(apply: Callable[..., Any], body: str) -> None:
    assert apply(CacheRecursion(), body, "f") is None


def test_every_function_of_a_program_is_looked_at(apply: Callable[..., Any]) -> None:
    source = "def f(n):\n    return f(n - 1) + f(n - 2) if n > 1 else n\nprint(f(int(input())))\n"
    assert apply(CacheRecursion(), source) == (
        "import functools\n@functools.lru_cache(maxsize=None, typed=True)\n" + source
    )

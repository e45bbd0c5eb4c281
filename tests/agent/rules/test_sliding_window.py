"""sliding-window: the same values of the same types for every kind of element and every bound."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.sliding_window import SlidingWindow

NAN = float("nan")

WINDOWS = {
    "sums": """
def f(xs, k):
    totals = []
    # all stretches
    for i in range(len(xs) - k + 1):
        totals.append(sum(xs[i : i + k]))  # one of them
    return totals
""",
    "extremes in comprehensions": """
def f(xs, k):
    return [(max(xs[i : i + k]), min(xs[i : i + k])) for i in range(len(xs) - k + 1)]
""",
    "odd bounds": """
def f(xs, k):
    out = []
    for a in range(-3, 4):
        for b in range(-3, 8):
            try:
                out.append(repr((sum(xs[a:b]), sum(xs[:b]), sum(xs[a:]), max(xs[a:b]))))
            except ValueError as error:
                out.append(str(error))
    return out
""",
    "prefixes in while": """
def f(xs, k):
    i = 1
    while i <= len(xs) and sum(xs[:i]) < k:
        print(max(xs[:i]))
        i += 1
    return i
""",
    "a name for the window": """
def f(xs, k):
    out = []
    for i in range(k, len(xs)):
        window = xs[i - k : i]
        part = xs[:i]
        print(part)
        if k in part:
            out.append(max(window) - min(window))
    return out
""",
    "indexes": """
def f(xs, k):
    best = []
    for i in range(len(xs)):
        best.append(sum(xs[j] for j in range(i - 1, i + k)))
        best.append(max([xs[n] for n in range(i)], default=0) + min(xs[n] for n in range(i + 1)))
    return best
""",
    "a loop that adds up": """
def f(xs, k):
    best = None
    for i in range(len(xs) - k + 1):
        total = 0
        for j in range(i, i + k):
            total += xs[j]
        if best is None or total > best:
            best = total
    return best
""",
    "members": """
def f(xs, k):
    out = []
    for i in range(-1, len(xs) if hasattr(xs, "__len__") else 3):
        if xs[i] not in xs[:i] and not (k in xs[i + 1 :]):
            out.append(i)
    return out, [x in xs[a:3] for a, x in enumerate([k, *xs])]
""",
    "bounds that are None": """
def f(xs, k):
    out = []
    for low, high in ((None, 2), (1, None), (None, None), (True, 3)):
        out.append(sum(xs[low:high]))
        out.append(len(xs) and max(xs[low:high]))
    return out
""",
    "a class": """
class C:
    def __init__(self, xs):
        self.xs = xs

    def means(self, k):
        return [sum(self.xs[i - k : i]) / k for i in range(k, len(self.xs))]

def f(xs, k):
    return C(xs).means(k)
""",
}


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_give_the_same(apply: Callable[..., Any], agree: Callable[..., None], name: str) -> None:
    before = WINDOWS[name]
    after = apply(SlidingWindow(), before, "C.means" if name == "a class" else "f")
    rng = random.Random(3)
    kinds = [
        lambda: rng.randrange(-5, 9),
        lambda: rng.choice([0.1, 0.2, 1e16, -0.0, 0.0, 1, True]),
        lambda: rng.choice([NAN, 1.0, 2]),
        lambda: 10**20 + rng.randrange(9),
        lambda: rng.choice([True, False]),
        lambda: rng.choice([2, NAN, float("nan")]),
    ]
    for kind in kinds:
        agree(
            before, after, "f", [([kind() for _ in range(rng.randrange(12))], rng.randrange(1, 5)) for _ in range(40)]
        )
    agree(
        before,
        after,
        "f",
        [
            ((3, 1, 2), 2),
            (["b", "a", "c"], 2),
            ("banana", 1),
            ([[1], 2, [1], 2], 1),
            ({1: 2}, 1),
            (5, 1),
            ([[1], [2]], 1),
            (b"abc", 2),
        ],
    )


def test_two_slices_share_one_table_before_the_outermost_loop(apply: Callable[..., Any]) -> None:
    after = apply(
        SlidingWindow(),
        "def f(xs, ks):\n    for k in ks:\n        for i in k:\n            print(sum(xs[i:i+k]) + sum(xs[i:]))\n",
        "f",
    )
    assert "def f(xs, ks):\n    xs_sum = _slice_sums(xs)\n    for k in ks:\n" in after
    assert "print(xs_sum(i, i+k) + xs_sum(i, len(xs)))" in after


def test_a_name_that_only_the_window_needed_goes(apply: Callable[..., Any]) -> None:
    after = apply(SlidingWindow(), WINDOWS["a name for the window"], "f")
    assert "window = " not in after
    assert "part = xs[:i]" in after
    assert "if xs_has(k, 0, i):" in after
    assert "out.append(xs_max(i - k, i) - xs_min(i - k, i))" in after


@pytest.mark.parametrize(
    "body",
    [
        "return sum(xs[k:])",
        "for i in range(k):\n        xs.append(sum(xs[i:k]))",
        "for i in range(k):\n        xs[i] = max(xs[i:k])",
        "for i in range(k):\n        print(sum(xs[i:k:2]))",
        "for i in range(k):\n        print(max(xs[i:k], key=abs), sum(xs[i:k], []))",
        "for i in range(k):\n        xs = xs[1:]\n        print(sum(xs[i:k]))",
        "for i in range(k):\n        g(xs)\n        print(sum(xs[i:k]))",
        "for i in range(k):\n        print(sum(xs[next(k):]))",
        "for i in range(k):\n        w = xs[i:]\n        i += 1\n        print(sum(w))",
        "for i in range(k):\n        print(sum(w), sum(xs[j] for j in range(i) if j))\n        w = xs[i:]",
        "for i in range(k):\n        w = xs[i:]\n        w[0] = 1\n        print(sum(w))",
        "sum = max\n    for i in range(k):\n        print(sum(xs[i:]))",
    ],
)
def test_changing_sequences_and_other_calls_stay(apply: Callable[..., Any], body: str) -> None:
    assert apply(SlidingWindow(), f"def f(xs, k):\n    {body}\n", "f") is None

"""pair-combinations: the pairs that pass are the same, in the same order, for every kind of element."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.pair_combinations import PairCombinations

NAN = float("nan")

PAIRS = {
    "a loop": """
from itertools import combinations
def f(xs, t):
    found = []
    for a, b in combinations(xs, 2):
        # does it fit
        if a + b != t:
            continue
        found.append((a, b))
        if len(found) > 3:
            break
    else:
        print("all")
    return found
""",
    "a comprehension": """
import itertools as it
def f(xs, t):
    n = sum(1 for x, y in it.combinations(xs, 2) if y - x == 2)
    return [(x, y) for x, y in it.combinations(xs, 2) if x == y], n
""",
    "items": """
from itertools import combinations
def f(xs, t):
    pairs = list(enumerate(xs))
    return [(a[0], b[0]) for a, b in combinations(pairs, 2) if a[1] == b[1]]
""",
}


@pytest.mark.parametrize("body", PAIRS.values(), ids=PAIRS.keys())
def test_pairs_are_the_same(apply: Callable[..., Any], agree: Callable[..., None], body: str) -> None:
    after = apply(PairCombinations(), body, "f")
    assert "_by_" in after
    rng = random.Random(6)
    kinds = [
        lambda: rng.randrange(-3, 9),
        lambda: rng.choice([0.1, 0.2, 0.3, NAN, 1, 2]),
        lambda: rng.choice([1, True, 2, 2.0, 2**53, 2**53 + 1]),
    ]
    for kind in kinds:
        lists = [[kind() for _ in range(rng.randrange(9))] for _ in range(60)]
        agree(body, after, "f", [(xs, rng.choice([3, 0.3, 4, 2**53 + 2])) for xs in lists])
    agree(body, after, "f", [((1, 2, 1), 3), ({1, 2, 3}, 3), (5, 1), ([], 3), (range(5), 4)])


@pytest.mark.parametrize(
    "body",
    [
        "for a, b in combinations(xs, 2):\n        if a < b:\n            print(a)",
        "for a, b in combinations(xs, 3):\n        if a == b:\n            print(a)",
        "for a, b in combinations(xs, 2):\n        if a == b:\n            xs.append(a)",
        "for a, b in combinations(xs, 2):\n        print(a)\n        if a == b:\n            print(a)",
        "for a, b in combinations(xs, 2):\n        if a == b:\n            break\n    print(a)",
        "for a, b in combinations(g(xs), 2):\n        if a == b:\n            print(a)",
        "ys = map(str, xs)\n    for a, b in combinations(ys, 2):\n        if a == b:\n            print(a)",
        "for pair in combinations(xs, 2):\n        if pair == g:\n            print(pair)",
    ],
)
def test_other_loops_over_pairs_stay(apply: Callable[..., Any], body: str) -> None:
    source = f"from itertools import combinations\ndef f(xs, g):\n    {body}\n"
    assert apply(PairCombinations(), source, "f") is None

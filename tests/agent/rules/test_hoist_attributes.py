"""hoist-attributes: look-ups that cannot fail move in front of the loops of a function."""

from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.hoist_attributes import HoistAttributes

ROOTS = """
import math
import os.path as p

def f(xs, sqrt):
    roots = []
    seen: set = set()
    # all of them
    for row in xs:
        for x in row:
            if x < 0:
                continue
            roots.append(math.sqrt(x) + len(p.join("a", "b")))  # one
            seen.add(x)
        inner = []
        for x in row:
            inner.append(sqrt)
        roots.extend(inner)
    return roots, seen
"""


def test_functions_and_methods_are_looked_up_once(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(HoistAttributes(), ROOTS, "f")
    assert "    seen_add = seen.add\n" in after
    assert "    sqrt_2 = math.sqrt\n" in after
    assert "        inner_append = inner.append\n        for x in row:\n            inner_append(sqrt)\n" in after
    assert "    # all of them\n    for row in xs:\n" in after
    agree(ROOTS, after, "f", [([[1, 4], [-1, 9]], 1), ([], 1), ([["a"]], 2), ([3], 3), ([[1, [2]]], 4)])


@pytest.mark.parametrize(
    "body",
    [
        "for x in xs:\n        ys.append(x)",
        "out = ys\n    for x in xs:\n        out.append(x)",
        "for x in xs:\n        out = []\n        out.append(x)",
        "out = []\n    out.append(xs)",
        "out = []\n    for x in xs:\n        out.append = x",
        "out = []\n    for x in xs:\n        print(out.append)",
        "if ys:\n        out = []\n    for x in xs:\n        out.append(x)",
        "for x in xs:\n        print(math.sqr(x))",
        "for x in xs:\n        math = x\n        print(math.sqrt(x))",
        "out = []\n    del out\n    for x in xs:\n        out.append(x)",
        "out = []\n    for x in xs:\n        print(lambda: out.append(x))",
        "out = []\n    out += xs\n    for x in xs:\n        out.append(x)\n    out = 5",
    ],
)
def test_what_might_not_be_there_stays(apply: Callable[..., Any], body: str) -> None:
    assert apply(HoistAttributes(), f"import math\ndef f(xs, ys):\n    {body}\n", "f") is None


def test_the_top_of_a_program_has_no_fast_names(apply: Callable[..., Any]) -> None:
    assert apply(HoistAttributes(), "import math\nout = []\nfor x in range(3):\n    out.append(math.sqrt(x))\n") is None

"""hoist-invariants: a value is computed once, at no other time than it may be, and only if no round changes it."""

from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.hoist_invariants import HoistInvariants

HOISTED = {
    "the head of the body": (
        """
def f(lines, prefix):
    found = []
    # look at all
    for line in lines:
        if line.startswith(prefix.strip()):  # here
            found.append(line)
    return found
""",
        "    prefix_strip = prefix.strip() if lines else None\n    # look at all\n    for line",
    ),
    "a comprehension": (
        """
def f(lines, prefix):
    return [line for line in lines if prefix.lower() in line]
""",
        "    prefix_lower = prefix.lower() if lines else None\n    return [",
    ),
    "further down": (
        """
def f(lines, prefix):
    found = []
    for line in lines:
        if not line:
            continue
        print(line)
        if line == max(prefix):
            found.append(sorted(prefix)[0])
    return found
""",
        "        if max_prefix is None:\n            max_prefix = max(prefix)\n        if line == max_prefix:",
    ),
    "the test of a while": (
        """
def f(lines, prefix):
    i = 0
    while i < len(lines):
        i += len(prefix) + 1
    return i
""",
        "    len_lines = len(lines)\n    while i < len_lines:",
    ),
    "a comprehension in a loop": (
        """
def f(lines, prefix):
    out = []
    for line in lines:
        out.append([c for c in line if c in prefix.upper().split("B")])
    return out
""",
        "        if prefix_split is None and line:\n",
    ),
    "a function of the file": (
        """
def weight(text):
    total = 0
    for c in text:
        total += ord(c)
    return total

def f(lines, prefix):
    out = {}
    for n, line in enumerate(lines):
        out[n] = weight(prefix) + len(line)
    return out
""",
        "    weight_prefix = weight(prefix) if lines else None\n",
    ),
}


@pytest.mark.parametrize("name", HOISTED)
def test_what_no_round_changes_is_computed_once(
    apply: Callable[..., Any], agree: Callable[..., None], name: str
) -> None:
    before, expected = HOISTED[name]
    after = apply(HoistInvariants(), before, "f")
    assert expected in after
    lines = ["ab", "b", "", "abc b", "B"]
    agree(
        before, after, "f", [(lines, "a "), (lines, ""), (lines, "b"), ([], "a"), ([], None), (lines, None), (None, "")]
    )
    agree(before, after, "f", [([""], 5), (["x"], 5), ([1], "a"), (["", "x"], []), (("b", "ab"), ("a", "b"))])


@pytest.mark.parametrize(
    "body",
    [
        "for x in xs:\n        ys.append(x)\n        if x > max(ys):\n            print(x)",
        "for x in xs:\n        print(max(x))",
        "for x in xs:\n        print(g(ys))",
        "for x in xs:\n        g(ys)\n        print(max(ys))",
        "for x in xs:\n        zs.append(sorted(ys))",
        "for x in xs:\n        zs[x] = [y for y in ys]",
        "for x in xs:\n        ys = x\n        print(max(ys))",
        "for x in xs:\n        print(max(ys.items))\n        g(x)",
        "zs = iter(ys)\n    for x in xs:\n        print(x, list(zs), max(zs))",
        "for x in xs:\n        print(ys.get())",
        "for x in xs:\n        if x and max(ys):\n            print(x)",
        "for x in xs:\n        print(x if x else max(ys))",
        "print(max(ys))",
        "for x in max(ys):\n        print(x)",
        "while xs:\n        xs.pop()\n        y = ys.pop()\n        print(len(ys), len(xs))",
        "for x in xs:\n        def h():\n            return max(ys)\n        print(h)",
        "for x in ys:\n        x.append(1)\n        if x > max(ys):\n            print(x)",
        "for x in xs:\n        for y in x:\n            y.a = 1\n        if x.a > max(ys.a):\n            print(x)",
    ],
)
def test_what_a_round_may_change_or_leave_out_stays(apply: Callable[..., Any], body: str) -> None:
    assert apply(HoistInvariants(), f"def f(xs, ys, zs):\n    {body}\n", "f") is None


def test_the_outermost_loop_and_all_places_share_one_value(apply: Callable[..., Any]) -> None:
    source = """\
def f(rows, columns):
    for row in rows:
        for column in columns:
            if(max(columns))in row:
                print(row)
            if max(columns)in column:
                print(column)
"""
    after = apply(HoistInvariants(), source, "f")
    assert after.startswith("def f(rows, columns):\n    max_columns = None\n    for row in rows:\n")
    assert "if(max_columns)in row:" in after
    assert "if (max_columns)in column:" in after
    assert after.count("max_columns = max(columns)") == 2


def test_programs_are_rewritten_too(apply: Callable[..., Any]) -> None:
    source = "import math\nn = int(input())\nfor i in range(9):\n    if i < math.sqrt(n):\n        print(i)\n"
    after = apply(HoistInvariants(), source)
    assert "    if sqrt_n is None:\n        sqrt_n = math.sqrt(n)\n    if i < sqrt_n:\n" in after

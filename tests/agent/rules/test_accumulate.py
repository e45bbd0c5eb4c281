"""Loops that build one thing: the same thing from a comprehension or a builtin, and loops that do more stay."""

from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.accumulate_builtin import AccumulateBuiltin
from afterburner.agent.rules.patterns.accumulate_comprehension import AccumulateComprehension

Apply = Callable[..., str | None]
Agree = Callable[..., None]

CALLS: list[tuple[Any, ...]] = [([],), ([1],), ([3, -1, 4, -1, 5],), (["a"],), ([[1], []],), ([1, None],), (None,)]

NUMBERS = CALLS[:3]  # `total += "a"` and `sum(["a"])` word their TypeError differently


def function(body: str) -> str:
    return "def f(xs):\n" + "".join(f"    {line}\n" for line in body.splitlines())


COMPREHENSIONS = {
    "append": "out = []\nfor x in xs:\n    out.append(x * 2)\nreturn out",
    "condition": "out: list[int] = []\nfor x in xs:\n    if x:\n        out.append(x)\nreturn out",
    "nested": "out = list()\nn = 2\nfor x in xs:\n    for y in range(x):\n        out.append((x, y + n))\nreturn out",
    "set": "out = set()\nfor x in xs:\n    out.add(x)\nreturn sorted(out)",
    "dictionary": "out = {}\nfor i, x in enumerate(xs):\n    out[i, x] = x * x\nreturn out",
    "tuple without brackets": "out = {}\nfor x in xs:\n    out[x] = x, 1\nreturn out",
    "choice of iterables": "out = []\nfor x in xs if xs else (1, 2):\n    out.append(x)\nreturn out",
}
BUILTINS = {
    "sum": "total = 0\nfor x in xs:\n    total += x\nreturn total",
    "count": "count = 0\nfor x in xs:\n    if x:\n        count += 1\nreturn count",
    "sum from a float": "total = 0.5\nfor x in xs:\n    total += x * 1\nreturn total",
    "any": "for x in xs:\n    if x < 0:\n        return True\nreturn False",
    "all": "for x in xs:\n    if x < 0 or x > 4:\n        return False\nreturn True",
    "all of not": "for x in xs:\n    if not x:\n        return False\nreturn True",
}
LEFT_ALONE = {
    "the variable is used afterwards": "out = []\nfor x in xs:\n    out.append(x)\nreturn out, x",
    "the list is read in the loop": "out = []\nfor x in xs:\n    if x not in out:\n        out.append(x)\nreturn out",
    "used in between": "out = []\nprint(out)\nfor x in xs:\n    out.append(x)\nreturn out",
    "not empty": "out = [0]\nfor x in xs:\n    out.append(x)\nreturn out",
    "a handler sees it": "out = []\ntry:\n    for x in xs:\n        out.append(x + 1)\nexcept TypeError:\n    pass\n"
    "return out",
    "a comment would be lost": "out = []\nfor x in xs:\n    # why\n    out.append(x)\nreturn out",
    "yield": "out = []\nfor x in xs:\n    out.append((yield x))\nreturn out",
    "else": "out = []\nfor x in xs:\n    out.append(x)\nelse:\n    out = None\nreturn out",
    "other text follows": "for x in xs:\n    if x:\n        return True\nprint('none')\nreturn False",
}


@pytest.mark.parametrize("body", COMPREHENSIONS.values(), ids=COMPREHENSIONS.keys())
def test_a_comprehension_builds_the_same(body: str, apply: Apply, agree: Agree) -> None:
    after = apply(AccumulateComprehension(), function(body), "f")
    agree(function(body), after, "f", CALLS)
    assert ".append(" not in str(after)
    assert ".add(" not in str(after)


@pytest.mark.parametrize("body", BUILTINS.values(), ids=BUILTINS.keys())
def test_a_builtin_gives_the_same(body: str, apply: Apply, agree: Agree) -> None:
    after = apply(AccumulateBuiltin(), function(body), "f")
    agree(function(body), after, "f", NUMBERS)
    assert "sum(" in str(after) or "any(" in str(after) or "all(" in str(after)


@pytest.mark.parametrize("rule", [AccumulateBuiltin(), AccumulateComprehension()], ids=lambda rule: rule.name)
@pytest.mark.parametrize("body", LEFT_ALONE.values(), ids=LEFT_ALONE.keys())
def test_loops_that_do_more_are_left_alone(
    rule: AccumulateBuiltin | AccumulateComprehension, body: str, apply: Apply
) -> None:
    assert apply(rule, function(body), "f") is None


def test_a_shadowed_builtin_is_not_used(apply: Apply) -> None:
    source = "def sum(values):\n    return 0\n\n\n" + function(BUILTINS["sum"])
    assert apply(AccumulateBuiltin(), source, "f") is None


def test_several_loops_and_whole_programs_are_rewritten(apply: Apply, agree: Agree) -> None:
    body = "a = []\nb = []\nfor x in xs:\n    a.append(x)\nfor y in xs:\n    b.append(-y)\nreturn a, b"
    after = apply(AccumulateComprehension(), function(body), "f")
    agree(function(body), after, "f", CALLS[:3])
    assert str(after).count("[") == 2
    program = "total = 0\nfor word in input().split():\n    total += len(word)\nprint(total)\n"
    assert "sum(len(word) for word in" in str(apply(AccumulateBuiltin(), program))

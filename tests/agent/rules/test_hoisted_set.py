"""hoisted-set: what a loop searches without changing it becomes a set before the loop."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.hoisted_set import HoistedSet

ORDERS = """
class Customer:
    def __init__(self, number):
        self.id = number

def report(orders, customers, states, closed, limit):
    customers = [Customer(each) for each in customers]
    found = []
    for number, state in orders:
        # only known ones
        if number in [c.id for c in customers] and state in states:
            found.append(number)
        elif state not in closed.split(","):
            found.append(state)
        closed = closed
    rest = 0
    while rest < limit:
        rest += 1
        if rest in sorted(states):
            found.append([x for x, _ in orders if x in tuple(states)])
    return found
"""

GUARDED = """
def common(first, second):
    return [x for x in first if x in second], sum(1 for x in first if x not in second)
"""

FUNCTIONS = """
def choose(words, stop: list[str], first):
    kept = list(filter(lambda word: word not in stop, words))
    kept.sort(key=lambda word: (word in first, word))
    while kept and len(kept) > len(stop):
        stop.append(max(kept, key=lambda word: word in stop))
    return kept, sorted(map(lambda word: word in [each.strip() for each in first], words))
"""

PROGRAM = """
BANNED = ["a", "b", "c", "d"]

def clean(words):
    return [word for word in words if word not in BANNED]

for line in open(0):
    print(clean(line.split()))
"""

LEFT_ALONE = """
def f(xs, ys):
    return filter(lambda x: x in ys, xs), (lambda x: x in ys), sorted(xs, key=lambda x: 3 in x)
---
def f(xs, ys):
    while any(map(lambda x: x in ys, xs)):
        ys.pop()
---
def f(xs, ys):
    return (x for x in xs if x in ys)
---
def f(xs, ys):
    for x in xs:
        if x in ys:
            ys.append(x)
---
def f(xs, ys):
    for x in xs:
        if x in ys:
            grow(ys)
---
def f(xs, ys):
    while any(x in ys for x in xs):
        ys.pop()
---
def f(xs, ys: list[list[int]]):
    return [x for x in xs if x in ys]
---
def f(xs, ys: str):
    return [x for x in xs if x in ys]
---
def f(xs, ys):
    return [x for x in xs if x in ys and ys.get(x)]
---
def f(xs, ys):
    for x in xs:
        if x in ys:
            yield x
---
def f(xs, ys):
    return 3 in ys
---
def f(xs, ys):
    for x in xs:
        for y in ys:
            if x in y:
                return x
---
def f(xs, load):
    return [x for x in xs if x in load()]
---
def f(xs, ys):
    return [x for x in xs if [x] in list(ys)]
---
def f(xs, table):
    for x in xs:
        if x in table.keys() or x in (1, 2, 3, 4, 5):
            table[x] = 1
---
def f(xs, later):
    for x in xs:
        if later and x in known:
            return x
        known = [x]
        later = True
"""


def test_comprehensions_calls_and_variables_are_hoisted(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(HoistedSet(), ORDERS, "report")
    assert "    id_set = {c.id for c in customers}\n" in after
    assert "if number in id_set and state in states_set:" in after
    assert "states_set_2 = set(states)" in after
    assert 'closed.split(",")' in after
    assert "# only known ones" in after
    rng = random.Random(0)
    calls = [
        (
            [(rng.randint(0, 9), rng.choice("abc")) for _ in range(rng.randint(0, 20))],
            rng.sample(range(9), 4),
            [rng.choice("abcd") for _ in range(4)],
            "a,b",
            rng.randint(0, 3),
        )
        for _ in range(50)
    ]
    agree(ORDERS, after, "report", [*calls, ([], [], [], "", 0), ([(1, 2)], [1], None, "", 0)])


@pytest.mark.parametrize("second", [[1, 2], (1,), "abc", {"a": 1}, {1}, range(3), None, 5, [], [float("nan")], b"ab"])
def test_only_lists_and_tuples_become_sets(
    apply: Callable[..., Any], agree: Callable[..., None], second: object
) -> None:
    after = apply(HoistedSet(), GUARDED, "common")
    assert after.count("isinstance(second, (list, tuple))") == 1
    assert apply(HoistedSet(), after, "common") is None, "it is a set already, or stays what it is"
    agree(GUARDED, after, "common", [([1, 2, 3, 2], second), (["a", "bc", "z"], second), ([], second)])


def test_functions_that_are_called_for_each_element_are_loops(
    apply: Callable[..., Any], agree: Callable[..., None]
) -> None:
    after = apply(HoistedSet(), FUNCTIONS, "choose")
    assert "    stop_set = set(stop)\n    kept = list(filter(lambda word: word not in stop_set, words))" in after
    assert "key=lambda word: (word in first_set, word))" in after
    assert "    first_set_2 = {each.strip() for each in first}\n    return kept" in after
    rng = random.Random(2)
    calls = [tuple([rng.choice("abcdefg") for _ in range(rng.randint(0, 6))] for _ in range(3)) for _ in range(40)]
    agree(FUNCTIONS, after, "choose", [*calls, (["a"], [], "a"), (None, [], [])])


def test_functions_of_a_whole_program_are_treated(apply: Callable[..., Any]) -> None:
    after = apply(HoistedSet(), PROGRAM)
    assert "banned_set = set(BANNED)" in after
    assert "word not in banned_set" in after


@pytest.mark.parametrize("source", LEFT_ALONE.split("---\n"))
def test_searches_are_left_alone_when_a_set_could_differ_or_gains_nothing(
    apply: Callable[..., Any], source: str
) -> None:
    assert apply(HoistedSet(), source, "f") is None

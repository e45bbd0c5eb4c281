"""count-index: what is counted or looked for in an unchanged list again and again is looked up."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.count_index import CountIndex

COUNTS = """
def rare(words, limit):
    # often asked
    once = [word for word in words if words.count(word) <= limit]
    for number, word in enumerate(words):
        for other in set(words):
            if words.count(other) > words.count(word):
                once.append((number, other, words.count(words[number])))
    return once
"""

PLACES = """
def ranks(names: list, wanted):
    found = []
    for name in wanted:
        try:
            found.append(names.index(name))
        except ValueError as error:
            found.append(str(error))
    return found, [wanted.index(each) for each in wanted]

def strict(names, wanted):
    return [names.index(each.strip()) for each in wanted], {each: names.index(each) for each in names}
"""

LEFT_ALONE = """
def f(text, words):
    return [text.count(word) for word in words]
---
def f(xs):
    for x in xs:
        if xs.count(x) > 1:
            xs.remove(x)
---
def f(xs: list[list[int]]):
    return [xs.count(x) for x in xs]
---
def f(xs):
    return xs.count(1), xs.index(2)
---
def f(xs):
    return (xs.count(x) for x in xs)
---
def f(xs):
    for x in xs:
        x = x.lower()
        print(xs.count(x))
---
def f(xs, ys):
    return [ys.index(y, 3) for y in xs] + [load(x).index(x) for x in xs]
---
def f(xs):
    return [xs.index(ask(x)) for x in xs]
"""


def test_elements_of_the_list_itself_are_counted_once(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(CountIndex(), COUNTS, "rare")
    assert after.startswith("import collections\n")
    assert "    # often asked\n" in after
    assert "words_counts_2[other] > words_counts_2[word]" in after
    assert "words.count" not in after
    rng = random.Random(0)
    calls = [([rng.choice("abcd") for _ in range(rng.randint(0, 9))], rng.randint(0, 3)) for _ in range(40)]
    nan = float("nan")
    agree(COUNTS, after, "rare", [*calls, ("hello world", 1), ((1, 1.0, True, 2), 1), ([nan, nan], 1), (None, 1)])


def test_positions_are_looked_up_and_what_is_missing_raises_as_before(
    apply: Callable[..., Any], agree: Callable[..., None]
) -> None:
    rng = random.Random(1)
    for function in ("ranks", "strict"):
        after = apply(CountIndex(), PLACES, function)
        assert "_places = {" in after
        calls = [([rng.choice("abcd") for _ in range(6)], [rng.choice("abcde") for _ in range(4)]) for _ in range(40)]
        agree(PLACES, after, function, [*calls, ([], ["a"]), (["a", "b", "a"], "ab"), ("abcab", ["ab", "c"]), ([1], 5)])


@pytest.mark.parametrize("source", LEFT_ALONE.split("---\n"))
def test_other_counts_and_positions_are_left_alone(apply: Callable[..., Any], source: str) -> None:
    assert apply(CountIndex(), source, "f") is None

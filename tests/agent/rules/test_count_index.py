"""count-index: a table of counts or first positions, made once, gives what going through the list gave."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.count_index import CountIndex

Apply = Callable[..., Any]
Agree = Callable[..., None]

EXPRESSIONS = [
    "[x for x in a if a.count(x) > 1]",
    "[a.count(x) for x in set(a)] and sum(a.count(x) for x in sorted(a))",
    "{x: a.index(x) for x in a}",
    "[a.index(x) + i for i, x in enumerate(a)]",
    "[b.index(x) for x in a]",
    "[b.count(x) for x in a]",
    "[b.index(x) for x in a if x in b]",
    "[a.count(a[i]) for i in range(len(a))]",
    "[sorted(b).index(x) for x in a if x in b]",
    "[list(b).count(x) for x in a]",
    "[str(b).count(str(x)) for x in a]",
    "[str(b).index(str(x)) for x in a]",
    "[a.index(b[b.index(x)]) for x in b]",
    "all(b.count(x) == a.count(x) for x in a)",
    "[[b.count(x) for x in a] for _ in a]",
    "[b.count(x) for x in (str(each) for each in a)]",
]
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
def f(a, b):
    return a.count(b)
---
def f(a, b):
    return [a.count(3) + a.index(b) for _ in b]
---
def f(a, b):
    return (a.count(x) for x in b)
---
def f(a, b):
    for x in b:
        if a.count(x):
            a.remove(x)
---
def f(a, b):
    for x in b:
        a = a[a.index(x):]
---
def f(a, b):
    for x in b:
        yield a.count(x)
---
def f(a, b):
    return [x.count(y) for x in a for y in x]
---
def f(a, b):
    return [a.count([x]) for x in b]
---
def f(a: list[list[int]], b):
    return [a.index(x) for x in b]
---
def f(a, b):
    return [a.index(x, 1) for x in b]
---
import itertools
def f(a, b):
    return ["abc".index(x) for x in b] + [itertools.count(x) for x in a]
---
def f(a, b):
    for x in b:
        grow(a)
        a.index(x)
---
def f(a, b):
    for _ in b:
        a.index(next(b))
---
def f(a, b):
    return [known.index(x) for x in b for known in [a]]
---
def f(a, b):
    for x in b:
        if x:
            a[known.index(x)] = x
        known = a
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
def f(xs, ys):
    return [ys.index(y, 3) for y in xs] + [load(x).index(x) for x in xs]
---
def f(xs):
    return [xs.index(ask(x)) for x in xs]
"""
NESTED = """
def f(rows, marks):
    # each row by itself
    found = []
    for row in rows:
        for cell in row:
            while cell > 0:
                if row.count(cell) > 1 or marks.index(cell) > 2: found.append(marks.count(cell))
                cell = cell - 1
    return found
"""


def lists() -> list[tuple[Any, Any]]:
    rng = random.Random(7)
    nan = float("nan")
    calls: list[tuple[Any, Any]] = [([], []), ([1], []), ([1, True, 1.0], [1.0, 2]), ([nan, nan], [nan])]
    calls += [("abca", "cab"), ("abca", ["ab", "a", "z"]), (["ab", "b"], "xaby"), ((1, 2, 1), (2, 1))]
    calls += [(b"aba", b"ab"), (b"ab", [b"a", 97]), (range(4), [1, 2]), ([1], None)]
    for _ in range(12):
        calls.append(([rng.randrange(5) for _ in range(9)], [rng.randrange(6) for _ in range(rng.randrange(9))]))
    return calls


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_tables_give_the_same_places_counts_and_errors(expression: str, apply: Apply, agree: Agree) -> None:
    before = f"def f(a, b):\n    return {expression}\n"
    after = apply(CountIndex(), before, "f")
    assert "_counts" in after or "_places" in after
    # What is made before the loop fails before it, perhaps with another error than the loop's own.
    is_made = "sorted(b)" in expression or "list(b)" in expression
    agree(before, after, "f", [call for call in lists() if call[1] is not None or not is_made])


@pytest.mark.parametrize("source", LEFT_ALONE.split("---\n"))
def test_calls_are_left_alone_that_are_single_or_on_what_changes(source: str, apply: Apply) -> None:
    assert apply(CountIndex(), source, "f") is None


def test_tables_stand_before_the_outermost_loop_that_keeps_the_list(apply: Apply, agree: Agree) -> None:
    after = apply(CountIndex(), NESTED, "f")
    assert "import collections" in after
    assert "    for row in rows:\n        row_counts = collections.Counter(row) if isinstance" in after
    assert "\n    marks_places = {value: place for place, value in reversed([*enumerate(marks)])}" in after
    assert "# each row by itself" in after
    agree(NESTED, after, "f", [([[3, 1, 3], [2]], [3, 2, 2, 1]), ([[1, 5]], [1]), ([], []), ([(2, 2)], "12")])


def test_a_known_list_needs_no_test_and_uses_the_imported_counter(apply: Apply, agree: Agree) -> None:
    before = (
        "from collections import Counter\n\n\n"
        "def f(line, asked):\n    words = line.split()\n    return [words.count(each) for each in asked]\n"
    )
    after = apply(CountIndex(), before, "f")
    assert "words_counts = Counter(words)\n" in after
    assert "return [words_counts[each] for each in asked]" in after
    agree(before, after, "f", [("a b a", ["a", "z"]), ("", ["a"])])


def test_a_whole_program_is_treated(apply: Apply) -> None:
    after = apply(CountIndex(), "names = input().split()\nfor name in names:\n    print(name, names.count(name))\n")
    assert "names_counts = collections.Counter(names)\nfor name in names:" in after
    assert "print(name, names_counts[name])" in after


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

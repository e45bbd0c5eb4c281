"""set-membership: lists that a function builds and searches become sets, or get one beside them."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.set_membership import SetMembership

UNIQUE = """
def unique(words: list[str]) -> list[str]:
    seen: list[str] = []
    out = [
        "start",  # always there
    ]
    for word in words:
        key = word.lower()
        if key in seen: continue
        if key not in out: out.append(key.strip())
        seen.append(key)
    return out
"""

SEVERAL = """
def closure(edges, start):
    reached = [start]
    log, last = [], None
    marks, count = [3], 0
    queue = list(reached); queue += ["end"]; done = 0
    for node in reached:
        while done < 3:
            done += 1
            reached.extend([done])
        for a, b in edges:
            if a == node and b not in reached:
                reached.append(b)
                last = b
            if b in queue:
                queue.insert(0, a)
                log.append((a, b))
            if b in marks:
                count += 1
            marks.append(a)
    return reached, len(queue), log, last, count
"""

TRICK = """
def unique(items):
    seen = list()
    return [item for item in items if not (item in seen or seen.append(item))]
"""

METHOD = """
class Index:
    def new(self, rows):
        known = sorted(self.known) + [""]
        fresh = tuple(row for row in rows if row not in known)
        self.known = known
        return fresh

    known = ["b", "a", "c"]
"""

LEFT_ALONE = """
def f(xs, note=print):
    found = []
    for x in xs:
        if [x] not in found:
            found.append([x])
    return found
---
def f(xs, note=print):
    found = []
    for x in xs:
        if x not in found:
            note(found)
            found.append(x)
---
def f(xs, note=print):
    found = []
    for x in xs:
        if x not in found:
            found.append(x)
        found.pop()
---
def f(xs, note=print):
    found = []
    for x in xs:
        if x not in found:
            found.append(x)
        found[0] = x
---
def f(xs, note=print):
    found = xs
    for x in xs:
        if x not in found:
            found.append(x)
---
def f(xs, note=print):
    found = other = []
    for x in xs:
        if x not in found:
            other.append(x)
---
def f(xs, note=print):
    found = []
    for x in xs:
        add = lambda: found.append(x)
        x in found or add()
---
def f(xs, note=print):
    found = []
    for x in xs:
        if x not in found:
            found.append(x)
        yield found
---
def f(xs, note=print):
    found = []
    for x in xs:
        if x not in found:
            locals()['found'].append(x)
---
def f(xs, note=print):
    found = [1, 2]
    return [x for x in xs if x in found]
---
def f(xs, note=print):
    found = list(xs)
    return 3 in found
---
def f(xs, note=print):
    for x in xs:
        found = x.split()
        if 'a' in found:
            return x
---
def f(xs, note=print):
    found = []
    for x in xs:
        row = x.split(',')
        if row in found:
            return row
        found.append(row)
---
def f(xs, note=print):
    global found
    found = []
    for x in xs:
        if x not in found:
            found.append(x)
---
def f(xs, note=print):
    found = []
    for x in xs:
        if x not in found:
            found.extend(y for y in x)
    return found
"""


TITLES = """
def titles(records):
    header, more = [], ["x"]
    for record in records:
        # in their order
        header += [title for title in record if title not in header]  # new ones
        for title in record:
            if title in more:
                more.extend(title.split("-"))
    return header, more
"""


def words(rng: random.Random) -> list[str]:
    return [rng.choice("abcdefgh ") * rng.randint(0, 3) for _ in range(rng.randint(0, 30))]


def test_a_list_that_is_only_searched_becomes_a_set_and_another_gets_one_beside_it(
    apply: Callable[..., Any], agree: Callable[..., None]
) -> None:
    after = apply(SetMembership(), UNIQUE, "unique")
    assert "seen: set[str] = set()" in after
    assert "seen.add(key)" in after
    assert "if key not in out_set:\n            out.append(key.strip())\n            out_set.add(out[-1])\n" in after
    assert "# always there" in after
    rng = random.Random(0)
    agree(UNIQUE, after, "unique", [([],), (None,), *((words(rng),) for _ in range(50))])


def test_every_way_in_which_a_list_grows_is_followed(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(SetMembership(), SEVERAL, "closure")
    assert after.count("reached_set") == 4
    assert "marks, count = {3}, 0" in after
    assert "queue = set(reached)" not in after
    rng = random.Random(1)
    calls = [([(rng.randint(0, 9), rng.randint(0, 9)) for _ in range(rng.randint(0, 20))], 1) for _ in range(50)]
    agree(SEVERAL, after, "closure", [*calls, ([(1, "end"), (2, 1)], 1), (["ab"], "a"), (None, 1)])


def test_an_append_inside_an_expression_is_followed_when_the_list_is_only_searched(
    apply: Callable[..., Any], agree: Callable[..., None]
) -> None:
    after = apply(SetMembership(), TRICK, "unique")
    assert "item in seen or seen.add(item)" in after
    nan = float("nan")
    agree(TRICK, after, "unique", [([],), ([1, 1.0, True, 2, nan, nan],), (["a", b"a", None, "a"],), (5,)])


def test_a_list_that_leaves_the_function_after_the_last_search_is_kept(
    apply: Callable[..., Any], agree: Callable[..., None]
) -> None:
    source = (
        METHOD + "\ndef run(rows):\n    index = Index()\n    return index.new(rows), index.new(rows), index.known\n"
    )
    after = apply(SetMembership(), source, "Index.new")
    assert "row not in known_set" in after
    agree(source, after, "run", [(["x", "a"],), ([""],), ([],), (["b", 1, None],)])


def test_elements_that_are_made_where_they_are_added_get_a_name(
    apply: Callable[..., Any], agree: Callable[..., None]
) -> None:
    after = apply(SetMembership(), TITLES, "titles")
    assert (
        "        # in their order\n        new_header = [title for title in record if title not in header_set]" in after
    )
    assert "        header += new_header  # new ones\n        header_set.update(new_header)\n" in after
    assert "more.extend(new_more)" in after
    rng = random.Random(2)
    rows = [[words(rng) for _ in range(rng.randint(0, 5))] for _ in range(30)]
    agree(TITLES, after, "titles", [*((row,) for row in rows), ([["x", "x-y", "y", "x"], "abca"],), ([None],)])


@pytest.mark.parametrize("source", LEFT_ALONE.split("---\n"))
def test_lists_are_left_alone_when_a_set_could_differ_or_gains_nothing(apply: Callable[..., Any], source: str) -> None:
    assert apply(SetMembership(), source, "f") is None


def test_a_whole_program_and_the_functions_in_it_are_treated(apply: Callable[..., Any]) -> None:
    source = (
        "seen = []\nfor line in open(0):\n    if line in seen:\n        print(line)\n    seen.append(line)\n\n"
        "def inner(xs):\n    known = []\n    for x in xs:\n        if x not in known:\n            known.append(x)\n"
        "    return known\n"
    )
    after = apply(SetMembership(), source)
    assert "seen = set()" in after
    assert "known_set.add(x)" in after

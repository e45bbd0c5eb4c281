"""companion-set: a list of an object or of the caller is searched by a set, and holds what it always held."""

from collections.abc import Callable
from typing import Any

import pytest

# ruff: noqa: E501 - a refused function is one line each
from afterburner.agent.rules.patterns.companion_set import CompanionSet

BOOK = """
class Book:
    def __init__(self, known):
        self.known = known
        self.rows = []

    def take(self, rows):
        added = 0
        for name, phone in rows:
            phone = phone.strip()
            if phone in self.known:
                continue
            self.known.append(phone)  # from now on
            self.rows.append((name, phone))
            added += 1
        return added, len(self.known), self.known


def f(known, rows):
    book = Book(known)
    return book.take(rows), book.take(rows[:1]), book.rows, book.known
"""

VISITED = """
def f(start, edges, visited):
    todo = [start]
    while todo and len(visited) < 6:
        here = todo.pop()
        if here not in visited:
            visited.append((here + 1) // 1)
            for a, b in edges:
                if a == here and b not in visited and b not in todo:
                    todo.append(b)
    return visited, todo
"""

COPIED = """
def f(words, known):
    mine = list(known)
    out = []
    for word in words:
        if word in mine or not mine and word == "x":
            continue
        mine.append(word)
        out.append(mine[-1])
    return out, known
"""


@pytest.mark.parametrize(
    ("source", "qualname", "calls"),
    [
        (BOOK, "Book.take", [(["1"], [("a", " 1"), ("b", "2"), ("c", "2 ")]), ([], []), ([], [("a", None)])]),
        (VISITED, "f", [(1, [(1, 2), (2, 3), (2, 1), (3, 9)], []), (1, [(1, 2)], [1]), (0, [], [1, 2, 3, 4, 5, 6])]),
        (COPIED, "f", [(["a", "b", "a", "x"], ["b"]), (["x", "y"], []), ([1, 1.0, True, None], (0,))]),
    ],
    ids=["a method", "a parameter", "a copy"],
)
def test_the_same_is_found_and_kept(
    apply: Callable[..., Any], agree: Callable[..., None], source: str, qualname: str, calls: list[tuple[Any, ...]]
) -> None:
    after = apply(CompanionSet(), source, qualname)
    agree(source, after, "f", calls)
    assert after.count("_set = set(") == 1
    assert after.count("_set.add(") == 1


STAYS = {
    "another call may change it": "for x in xs:\n    if x not in self.seen:\n        self.seen.append(x)\n        self.tidy()",
    "elements go": "for x in xs:\n    if x not in seen:\n        seen.append(x)\n        seen.pop(0)",
    "elements are set": "for x in xs:\n    if x not in seen:\n        seen.append(x)\n        seen[0] = x",
    "it is another one": "for x in xs:\n    if x not in seen:\n        seen.append(x)\n        seen = seen[:]",
    "it gets another name": "for x in xs:\n    if x not in seen:\n        seen.append(x)\n        out.append(seen)",
    "it is handed on": "for x in xs:\n    if x not in seen:\n        seen.append(work(seen))",
    "it is also known as": "other = seen\nfor x in xs:\n    if x not in seen:\n        seen.append(x)\n        other.clear()",
    "nothing is repeated": "if xs not in seen:\n    seen.append(xs)",
    "it only shrinks or stays": "for x in xs:\n    if x in seen:\n        out.append(x)",
    "the caller may look in between": "for x in xs:\n    if x not in seen:\n        seen.append(x)\n        yield x",
    "it is captured": "for x in xs:\n    if x not in seen:\n        seen.append(x)\n        out.append(lambda: seen)",
}


@pytest.mark.parametrize("body", STAYS.values(), ids=STAYS)
def test_what_a_set_could_not_follow_stays(apply: Callable[..., Any], body: str) -> None:
    source = "def f(self, xs, seen, work):\n    out = []\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    after = apply(CompanionSet(), source + "    return out\n", "f")
    assert after is None, after

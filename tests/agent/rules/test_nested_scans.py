"""nested-scans: results, their order, exceptions and side effects stay; only the searching gets shorter."""

import random
from collections.abc import Callable
from typing import Any

import pytest

# ruff: noqa: E501 - a refused function is one line each
from afterburner.agent.rules.patterns.nested_scans import NestedScans

NAN = float("nan")


class Thing:
    def __init__(self, key: object, value: int = 0) -> None:
        self.key, self.value = key, value

    def __repr__(self) -> str:
        return f"Thing({self.key!r}, {self.value!r})"


def things(rng: random.Random, size: int) -> list[Thing]:
    return [Thing(rng.choice([1, 2, 3, "a", 2.0, True, NAN, None]), rng.randrange(4)) for _ in range(size)]


JOINS = {
    "two lists": """
        def f(xs, ys):
            out = []
            for a in xs:
                # partners of a
                for b in ys:
                    if a.key == b.key:
                        out.append((a.value, b.value))  # found
                        print(a, b)
            return out
    """,
    "first match with else": """
        def f(xs, ys):
            out = {}
            for a in xs:
                for n, b in enumerate(ys):
                    if b.key == a.key and b.value > a.value:
                        out[n] = a
                        break
                else:
                    print("none", a)
            return out
    """,
    "first match kept in a name": """
        def f(xs, ys):
            out = []
            for a in xs:
                found = None
                count = 0
                for b in ys:
                    if b.key == a.key:
                        found = b
                        count = b.value
                        break
                out.append((a.value, count, found))
            return out
    """,
    "last match kept in a name that is tested": """
        def f(xs, ys):
            out = []
            for a in xs:
                best = None
                for b in ys:
                    if b.key != a.key:
                        continue
                    if best is None or b.value >= best.value:
                        best = b
                out.append(best)
            return out
    """,
    "skips and names": """
        def f(xs, ys):
            out = []
            i = 0
            while i < len(xs):
                a = xs[i]
                i += 1
                for b in ys:
                    key = b.key
                    if a.key != key or a.value == b.value:
                        continue
                    out.append(b)
                    if len(out) > 5:
                        return out
            return out
    """,
    "two keys and nested ifs": """
        def f(xs, ys):
            total = 0
            for a in xs:
                for b in ys:
                    if a is not b:
                        if a.key == b.key:
                            if a.value == b.value:
                                total += 1
            return total
    """,
    "a comprehension": """
        def f(xs, ys):
            return [(a, b) for a in xs for b in ys if a.key == b.key if b.value]
    """,
    "generators in a loop": """
        def f(xs, ys):
            out = []
            for a in xs:
                out.append(any(a.key == b.key for b in ys))
                out.append(all(a.key != b.key for b in ys))
                out.append(sum(1 for b in ys if b.key == a.key))
                out.append(next((b for b in ys if b.key == a.key), None))
            return out
    """,
    "a comprehension in a comprehension": """
        def f(xs, ys):
            return {a.value: [b for b in ys if b.key == a.key] for a in xs}
    """,
    "indexes": """
        def f(xs, ys):
            out = []
            for i in range(len(xs)):
                for j in range(len(ys)):
                    if ys[j].key == xs[i].key:
                        out.append((i, j))
            return out
    """,
    "an element marked": """
        def f(xs, ys):
            out = []
            for a in xs:
                for b in ys:
                    if a.key == b.key and b.value >= 0:
                        b.value -= 1
                        out.append(a)
            return out
    """,
}

PAIRS = {
    "equal elements": """
        def f(xs, k):
            out = []
            for i in range(len(xs)):
                for j in range(i + 1, len(xs)):
                    if xs[i] == xs[j]:
                        out.append((i, j))
            return out
    """,
    "a sum": """
        def f(numbers, target):
            n = len(numbers)
            for i in range(n):
                for j in range(i + 1, n):
                    if numbers[i] + numbers[j] == target:
                        return i, j
            return None
    """,
    "a difference": """
        def f(xs, k):
            return sum(1 for i in range(len(xs)) for j in range(i) if xs[i] - xs[j] == k)
    """,
    "slices": """
        def f(xs, k):
            found = []
            for i, a in enumerate(xs):
                for b in xs[i + 1:]:
                    if a + b == k:
                        found.append((a, b))
            return found
    """,
    "numbered slices": """
        def f(xs, k):
            found = []
            for i, a in enumerate(xs):
                for j, b in enumerate(xs[i + 1:], i + 1):
                    if b - a == k:
                        found.append((i, j))
            return found
    """,
    "counting down": """
        def f(xs, k):
            found = 0
            for i in range(len(xs) - 1, -1, -1):
                for j in range(len(xs)):
                    if k - xs[i] == xs[j] and i != j:
                        found += 1
            return found
    """,
    "all orders": """
        def f(xs, k):
            return [(a, b) for a in xs for b in xs if a + b == k]
    """,
    "a loop with while": """
        def f(xs, k):
            i = 0
            while i < len(xs):
                for j in range(i, len(xs)):
                    if xs[j] + xs[i] == k:
                        print(i, j)
                i += 1
    """,
}


def dedent(text: str) -> str:
    lines = text.strip("\n").splitlines()
    return "\n".join(line[8:] for line in lines) + "\n"


@pytest.mark.parametrize("body", JOINS.values(), ids=JOINS.keys())
def test_joins_give_the_same_in_the_same_order(
    apply: Callable[..., Any], agree: Callable[..., None], body: str
) -> None:
    before = dedent(body)
    after = apply(NestedScans(), before, "f")
    rng = random.Random(1)
    calls = [(things(rng, rng.randrange(9)), things(rng, rng.randrange(9))) for _ in range(150)]
    agree(before, after, "f", calls)


@pytest.mark.parametrize("body", JOINS.values(), ids=JOINS.keys())
def test_joins_fail_in_the_same_way(apply: Callable[..., Any], agree: Callable[..., None], body: str) -> None:
    before = dedent(body)
    after = apply(NestedScans(), before, "f")
    good = [Thing(1), Thing(2)]
    bad = [Thing(1, 3), Thing([1], 2), 5, Thing({1: 2})]
    odd = [Thing(1, 3), 5]
    calls = [(good, bad), (odd, good), ([], bad), (bad, []), (good, 3), ([], 3), (3, good), (bad, bad), (good, odd)]
    agree(before, after, "f", calls)


@pytest.mark.parametrize("body", PAIRS.values(), ids=PAIRS.keys())
def test_pairs_are_the_same_for_all_kinds_of_elements(
    apply: Callable[..., Any], agree: Callable[..., None], body: str
) -> None:
    before = dedent(body)
    after = apply(NestedScans(), before, "f")
    rng = random.Random(2)
    kinds = [
        lambda: rng.randrange(-3, 9),
        lambda: rng.choice([0.1, 0.2, 0.3, NAN, 1, 2, 1e16]),
        lambda: rng.choice("abc"),
        lambda: [rng.randrange(2)],
        lambda: rng.choice([1, True, 2, 2.0, 2**53, 2**53 + 1]),
        lambda: rng.choice([1, "a", None]),
    ]
    for kind in kinds:
        wanted = [kind() for _ in range(4)] + [0.3, 5, "ab", [0, 1], 2**53 + 2]
        agree(before, after, "f", [([kind() for _ in range(rng.randrange(9))], rng.choice(wanted)) for _ in range(60)])


@pytest.mark.parametrize(
    "body",
    [
        "for a in xs:\n        for b in ys:\n            if a == b:\n                break\n        else:\n            print(b)",
        "for a in xs:\n        for b in ys:\n            if a < b:\n                print(a)",
        "for a in xs:\n        for b in ys:\n            print(b)\n            if a == b:\n                print(a)",
        "for a in xs:\n        for b in ys:\n            if a == b:\n                ys.append(a)",
        "for a in xs:\n        for b in ys:\n            if a == b:\n                print(a)\n            else:\n                print(b)",
        "for a in xs:\n        for b in ys:\n            if a == b:\n                break\n        print(b)",
        "for a in xs:\n        ys = g(ys)\n        for b in ys:\n            if a == b:\n                print(a)",
        "for a in xs:\n        for b in ys:\n            if a.k == b.k:\n                b.k = 1",
        "for a in xs:\n        for b in g(ys):\n            if a == b:\n                print(a)",
        "for a in xs:\n        for b in ys:\n            if a == b.next():\n                print(a)",
        "for b in ys:\n        if xs == b:\n            print(b)",
        "zs = map(str, ys)\n    for a in xs:\n        for b in zs:\n            if a == b:\n                print(b)",
        "for a in xs:\n        for b in ys:\n            if a == b:\n                g(ys)",
        "for a in xs:\n        for b in ys.items:\n            if a == b:\n                g(a)",
        "for i in range(-3, 3):\n        for j in range(i, 3):\n            if xs[i] == xs[j]:\n                print(i, j)",
        "alias = ys\n    for a in xs:\n        for b in ys:\n            if a == b:\n                alias.pop()",
        "for a in xs:\n        for b in ys:\n            if a[0] == b[0]:\n                a[0] = 1\n                b[0] = 2",
    ],
)
def test_what_a_dictionary_could_not_follow_stays(apply: Callable[..., Any], body: str) -> None:
    assert apply(NestedScans(), f"def f(xs, ys):\n    {body}\n", "f") is None


def test_one_dictionary_serves_two_searches_and_the_outermost_loop(apply: Callable[..., Any]) -> None:
    source = dedent("""
        def f(rounds, people, pets):
            for _ in range(rounds):
                for person in people:
                    for pet in pets:
                        if pet["owner"] == person["id"]:
                            print(pet)
                    for pet in pets:
                        if pet["owner"] == person["boss"]:
                            person["seen"] = True
    """)
    after = apply(NestedScans(), source, "f")
    assert after.startswith("def f(rounds, people, pets):\n    pets_by_owner = {}\n    try:\n")
    assert after.count("pets_by_owner = {}") == 1
    assert 'for pet in pets_by_owner.get(person["id"], ()) if pets_by_owner else pets:' in after
    assert 'for pet in pets_by_owner.get(person["boss"], ()) if pets_by_owner else pets:' in after


def test_programs_and_methods_are_rewritten(apply: Callable[..., Any]) -> None:
    program = "xs = input().split()\nys = input().split()\nfor x in xs:\n    for y in ys:\n        if x == y:\n            print(x)\n"
    after = apply(NestedScans(), program)
    assert "for y in ys_by_value.get(x, ()) if ys_by_value else ys:" in after
    method = dedent("""
        class Shop:
            def report(self):
                return [(o.id, i.name) for o in self.orders for i in self.items if i.order == o.id]
    """)
    after = apply(NestedScans(), method, "Shop.report")
    assert "for i in (items_by_order.get(o.id, ()) if items_by_order else self.items) if i.order == o.id]" in after

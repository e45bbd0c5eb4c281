"""dict-items: keys and values come together where nothing in between can change them."""

from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.dict_items import DictItems

LOOPS = {
    "keys": """
def f(d, e):
    total = 0
    for k in d.keys():
        # add it
        if d[k] > 1:
            total += d[k] + e[k]
        print(k, d [ k ])
    return total
""",
    "annotated": """
from typing import Dict
def f(d: Dict[str, int], e: "dict"):
    return {k: d[k] for k in d if d[k] > 1}, [e[j] for j in e.keys()]
""",
    "made here": """
from collections import defaultdict
def f(d, e):
    counts = defaultdict(int)
    for x in d:
        counts[x] += 1
    out = []
    for x in counts:
        if counts[x] and x not in e:
            continue
        out.append((x, counts[x]))
    return out
""",
}


@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS.keys())
def test_items_give_the_same(apply: Callable[..., Any], agree: Callable[..., None], body: str) -> None:
    after = apply(DictItems(), body, "f")
    assert ".items()" in after
    agree(body, after, "f", [({}, {}), ({"a": 1, "b": 2}, {"a": 5, "b": 6}), ({"a": 3}, {}), ({1: 2.5}, {1: 1})])


@pytest.mark.parametrize(
    "body",
    [
        "for k in d:\n        print(d[k])",
        "for k in d.keys():\n        d[k] = 1\n        print(d[k])",
        "for k in d.keys():\n        print(e[k])",
        "for k in d.keys():\n        k = e\n        print(d[k])",
        "for k in d.keys():\n        d.pop(k)\n        print(d[k])",
        "for k in d.keys():\n        e(d)\n        print(d[k])",
        "for k in d.keys():\n        print(lambda: d[k])",
        "for k in d.keys():\n        del d[k]",
        "for k in d.keys(1):\n        print(d[k])",
        "for k in d.keys():\n        d = e\n        print(d[k])",
    ],
)
def test_what_changes_between_key_and_value_stays(apply: Callable[..., Any], body: str) -> None:
    assert apply(DictItems(), f"def f(d, e):\n    {body}\n", "f") is None

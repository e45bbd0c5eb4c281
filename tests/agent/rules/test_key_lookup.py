"""key-lookup: a key is looked up in the dictionary itself, and what is no copy of keys stays."""

from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.key_lookup import KeyLookup

COUNTED = """
def f(words, stop):
    counts = {}
    dropped = set(stop)
    for word in words:
        if word in list(dropped):
            dropped.discard(word)
        elif word not in list(counts.keys()):  # for the first time
            counts[word] = 1
        else:
            counts[word] += 1
    return counts, [each for each in stop if each in tuple(counts)], dropped
"""

STAYS = {
    "a list is searched": "key in list(rows)",
    "values are searched": "key in list(table.values())",
    "keys of something else": "key in list(table.keys(1))",
    "an unhashable key": "[key] in list(table.keys())",
    "list is another function": "key in list(table.keys(), rows)",
    "two comparisons": "key in list(table.keys()) in rows",
    "the view itself": "key in table.keys()",
    "equality": "key == list(table.keys())",
    "the object itself": "key in list(self.keys())",
    "the base class": "key in list(super().keys())",
    "a hint of another type": "key in list(row.keys())",
}


def test_the_same_keys_are_found(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(KeyLookup(), COUNTED, "f")
    agree(COUNTED, after, "f", [([], []), (["a", "b", "a", "c", "c"], ["c", "d"]), ([1, 1.0, True, None], (0, 1))])
    assert "word in dropped:" in after
    assert "word not in counts:  # for the first time" in after
    assert "each in counts]" in after


@pytest.mark.parametrize("search", STAYS.values(), ids=STAYS)
def test_what_is_no_copy_of_keys_stays(apply: Callable[..., Any], search: str) -> None:
    assert apply(KeyLookup(), f"def f(self, key, table, rows, row: Row):\n    return {search}\n", "f") is None


def test_a_list_of_ones_own_is_left_alone(apply: Callable[..., Any]) -> None:
    source = "from shop import list\n\n\ndef f(key, table):\n    return key in list(table.keys())\n"
    assert apply(KeyLookup(), source, "f") is None

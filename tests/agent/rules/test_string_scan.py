"""string-scan: what is found in a part of a string is found without a copy of the part."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.string_scan import StringScan

Apply = Callable[..., Any]
Agree = Callable[..., None]

EXPRESSIONS = [
    "s[i:].startswith('ab')",
    "[s[k:].startswith(('b', 'ca')) for k in range(len(s))]",
    "s[i:j].startswith(s[:2]) and s[ : j].endswith('a')",
    "s[i:].endswith('ca', )",
    "s[i + 1 : -1].startswith('b')",
    "str(s)[i:].startswith('b')",
    "'ca' in str(s)[i:]",
    "('b' not in str(s)[i:j]) == (i > 2)",
    "not 'b' in f'{s}'[i:]",
    "s[len('a'):].startswith('b')",
    "(s + 'x')[i:].startswith(s[1:2] + 'c')",
    "('c' in ('x' + str(s))[j:])",
]
LEFT_ALONE = [
    "'b' in s[i:]",  # may be a list
    "s[i].startswith('a')",
    "s[::2].startswith('a')",
    "s[:].startswith('a')",
    "s[i:].startswith('a', 1)",
    "s[i:].find('a')",
    "'a' < str(s)[i:] < 'b'",
    "s[i:].startswith(next(s))",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_same_is_found(expression: str, apply: Apply, agree: Agree) -> None:
    before = f"def f(s, i, j):\n    return {expression}\n"
    after = apply(StringScan(), before, "f")
    places = (0, 1, 2, 5, 9, -1, -3, None)
    texts = ("", "a", "abcabca", "bca", "caca")
    calls = [(s, i, j) for s, i, j in itertools.product(texts, places, places) if s or "s[:2]" not in expression]
    agree(before, after, "f", calls)


@pytest.mark.parametrize("expression", LEFT_ALONE)
def test_other_slices_are_left_alone(expression: str, apply: Apply) -> None:
    assert apply(StringScan(), f"def f(s, i):\n    return {expression}\n", "f") is None


def test_no_copy_is_left_in_a_scanner(apply: Apply) -> None:
    source = (
        "def tags(text: str):\n    i, found = 0, []\n    while i < len(text):\n"
        "        if text[i:].startswith('<!--') and '-->' in text[i + 4 :]:  # a comment\n"
        "            found.append(i)\n        i += 1\n    return found\n"
    )
    after = apply(StringScan(), source, "tags")
    assert "        if text.startswith('<!--', i) and text.find('-->', i + 4) >= 0:  # a comment\n" in after

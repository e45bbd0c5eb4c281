"""Differences that take several arguments at once, an iterator, or a value of another kind than the real ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.judge.verification.outcome import Agreement, Counterexample

if TYPE_CHECKING:
    from .conftest import Compare

pytestmark = pytest.mark.slow

CUTTING = """\
def f(text, limit=0, whole=False, separator=" "):
    text = text.strip(separator)
    if not limit or len(text) < limit:
        return text
    if not whole or separator not in text:
        return text[:limit].strip(separator)
    kept = ""
    for word in filter(None, text.split(separator)):
        if len(kept) + len(word) < limit:
            kept += word + separator
    return kept.strip(separator)
"""


def test_small_arguments_are_varied_together(compare: Compare) -> None:
    """They differ for a doubled separator in a text as long as the limit, with the switch on."""
    calls = "f('one two')\nf('one two three', 9)\nf('one two three', 12, True)\nf('a-b-c', 4, True, '-')"
    wrong = CUTTING.replace("len(text) < limit", "len(text) <= limit")
    found = compare(CUTTING, wrong, calls, rounds=None, assume=("len(separator) > 0",))
    assert isinstance(found, Counterexample)


def test_an_iterable_may_be_an_iterator_that_is_taken_item_by_item(compare: Compare) -> None:
    original = "def f(iterable):\n    seen = set()\n    for each in iterable:\n        if each not in seen:\n"
    original += "            seen.add(each)\n            yield each\n"
    eager = "def f(iterable):\n    yield from dict.fromkeys(iterable)\n"
    found = compare(original, eager, "list(f([3, 1, 3]))\nlist(f([2, 2]))")
    assert isinstance(found, Counterexample)
    assert "f(iter([" in found.line
    rows = (original.replace("iterable", "rows"), eager.replace("iterable", "rows"))
    assert isinstance(compare(*rows, "list(f([3, 1, 3]))\nlist(f([2, 2]))", rounds=2), Agreement)


def test_capital_texts_hold_letters_that_have_no_capital(compare: Compare) -> None:
    original = "def f(line):\n    return line.title() if line.upper() == line else line\n"
    found = compare(original, original.replace("line.upper() == line", "line.isupper()"), "f('AN OAK 5')\nf('an elm')")
    assert isinstance(found, Counterexample)


def test_two_arguments_may_be_equal_and_two_objects(compare: Compare) -> None:
    calls = "f('one', 'other')\nf('third', 'fourth')"
    found = compare("def f(a, b):\n    return a == b\n", "def f(a, b):\n    return a is b\n", calls, rounds=1)
    assert isinstance(found, Counterexample)
    assert found.kind == "equal objects"


def test_where_real_calls_have_none_a_hint_says_what_else_there_may_be(compare: Compare) -> None:
    original = "def f(data: bytes, encoding: 'str | None' = None):\n    return str(data, encoding or 'utf-8')\n"
    wrong = original.replace("encoding or 'utf-8'", "'utf-8' if encoding is None else encoding")
    for calls in ("f(b'one')\nf(b'other')", "f(b'one', None)\nf(b'other', encoding=None)"):
        found = compare(original, wrong, calls, rounds=1)
        assert isinstance(found, Counterexample)
        assert "''" in found.line

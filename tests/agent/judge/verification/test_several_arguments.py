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


VERSIONS = """\
class Version:
    def __init__(self, major, minor=0, label=None):
        self.major, self.minor, self.label = major, minor, label

    def is_final(self, other):
        other = type(self)(*other)
        return (self.major, self.minor) == (other.major, other.minor) and not other.label
"""


def test_a_tuple_that_is_unpacked_may_hold_what_the_other_function_takes(compare: Compare) -> None:
    calls = "Version(1, 2).is_final((1, 2))\nVersion(1, 2).is_final((1, 3))"
    wrong = VERSIONS.replace("not other.label", "other.label is None")
    found = compare(VERSIONS, wrong, calls, function="Version.is_final", rounds=1)
    assert isinstance(found, Counterexample)
    assert "is_final((1, 2, " in found.line


def test_a_callback_is_given_the_same_arguments_by_name(compare: Compare) -> None:
    plain = "def plain(each, last):\n    return each\n\n\n"
    original = plain + "def f(items, note):\n    return [note(each, last=each == items[-1]) for each in items]\n"
    wrong = original.replace("each == items[-1]", "False")
    found = compare(original, wrong, "f([3, 4], plain)\nf([5, 5, 6], plain)", rounds=1)
    assert isinstance(found, Counterexample)
    assert "last=" in found.line


UNIQUE = """\
EMPTY = object()


def f(items, key=EMPTY):
    if key is EMPTY:
        return list(dict.fromkeys(items))
    return list({key(item): item for item in items}.values())
"""


def test_calls_that_leave_the_default_to_a_sentinel_are_repeated_as_they_were(compare: Compare) -> None:
    """A copy of the sentinel would be another object, and the call would fail."""
    wrong = UNIQUE.replace("list(dict.fromkeys(items))", "sorted(set(items))")
    found = compare(UNIQUE, wrong, "f([1, 2, 2, 3])\nf(['a', 'b'])\nf(['a', 'bb', 'c'], key=len)", rounds=2)
    assert isinstance(found, Counterexample)
    assert "key" not in found.line

"""Differences that show where two parts of a call have to do with one another, or where an object has been used."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from afterburner.agent.judge.verification.outcome import Counterexample

if TYPE_CHECKING:
    from .conftest import Compare

pytestmark = pytest.mark.slow


class Slip(NamedTuple):
    """A function, what a wrong version has in place of a part of it, its calls, and what only it gets wrong."""

    original: str
    right: str
    wrong: str
    calls: str
    shows: str


SLIPS = {
    "an attribute of a named tuple": Slip(
        "from collections import namedtuple\n"
        "class Place(namedtuple('Place', 'host path')):\n"
        "    def __new__(cls, host, path, encoding='utf-8'):\n"
        "        made = super().__new__(cls, host, path)\n"
        "        made.encoding = encoding\n"
        "        return made\n"
        "def f(place, path):\n"
        "    changed = place._replace(path=path)\n"
        "    changed.encoding = place.encoding\n"
        "    return changed\n",
        "changed.encoding = place.encoding",
        "changed.encoding = 'utf-8'",
        "f(Place('h', '/'), '/a')\nf(Place('g', '/b'), '')",
        ".encoding is 'utf-8' instead of",
    ),
    "what the class leaves to those who use it": Slip(
        "class Base:\n"
        "    def __init__(self):\n"
        "        self.rows = []\n"
        "        self._by_name = {}\n"
        "    def by_name(self):\n"
        "        self._by_name = {}\n"
        "        for row in self.rows:\n"
        "            self._by_name[row['name']] = row\n"
        "        return self._by_name\n"
        "def f(base):\n"
        "    return base.by_name()\n",
        "        self._by_name = {}\n        for",
        "        if len(self._by_name) == len(self.rows):\n            return self._by_name\n"
        "        self._by_name = {}\n        for",
        "base = Base()\nbase.rows = [{'name': 'a', 'n': 1}, {'name': 'b', 'n': 2}]\nf(base)\nf(base)",
        "instead of",
    ),
    "a list that a cache shares between objects": Slip(
        "import functools\n"
        "class Pointer:\n"
        "    def __init__(self, text):\n"
        "        self.parts = parse(text)\n"
        "def parse(text):\n"
        "    return text.split('/')\n"
        "def f(pointer, text):\n"
        "    pointer.__init__(text)\n",
        "def parse",
        "@functools.lru_cache(maxsize=None)\ndef parse",
        "f(Pointer('/a'), '/a/b')\nf(Pointer(''), '/c')",
        "after the caller changed what it had made, the same call",
    ),
}


@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS.keys())
def test_a_difference_between_parts_that_belong_together_is_found(compare: Compare, slip: Slip) -> None:
    assert slip.right in slip.original
    found = compare(slip.original, slip.original.replace(slip.right, slip.wrong), slip.calls, rounds=None)
    assert isinstance(found, Counterexample), found
    assert slip.shows in found.line

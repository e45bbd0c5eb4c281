"""Which new code could remember something from one call to the next, by its text."""

from __future__ import annotations

import pytest

from afterburner.agent.judge.first_calls import may_remember

ORIGINAL = "import re\nWORD = re.compile('x')\n\ndef f(xs):\n    return [x for x in xs]\n"
NOTHING = [
    "def f(xs):\n    return list(xs)",
    "def f(xs):\n    seen = {}\n    for x in xs:\n        seen[x] = 1\n    return list(seen)",
    "_PART = re.compile('a+').match\n\ndef f(xs):\n    return [x for x in xs if _PART(x) or WORD.match(x)]",
    "_TABLE = {'a': 1, 'b': (2, -3)}\n\ndef f(xs):\n    return [_TABLE.get(x, x) for x in xs]",
    "from itertools import chain\nimport math\n\ndef f(xs):\n    return [math.floor(x) for x in chain(xs)]",
    "def f(self, xs):\n    self.known = xs\n    return self.known",
]
SOMETHING = [
    "_known = {}\n\ndef f(xs):\n    _known[len(xs)] = xs\n    return xs",
    "__known__ = []\n\ndef f(xs):\n    __known__.append(xs)\n    return xs",
    "_keep = [].append\n\ndef f(xs):\n    _keep(xs)\n    return xs",
    "from types import SimpleNamespace\n_book = SimpleNamespace()\n\ndef f(xs):\n    return xs",
    "import functools\n\n@functools.cache\ndef g(x):\n    return x\n\ndef f(xs):\n    return xs",
    "def f(xs, known={}, store=open):\n    known[1] = xs\n    f.last = xs\n    return xs",
    "def f(xs):\n    global last\n    last = xs\n    return xs",
    "def f(self, xs):\n    type(self).last = xs\n    return xs",
    "def f(self, xs):\n    self.__class__.last = xs\n    return xs",
    "class Book:\n    known = {}\n\ndef f(xs):\n    return xs",
    "def f(xs:\n",
]


def _in_place(code: str) -> str:
    return ORIGINAL.partition("def f")[0] + code + "\n"


@pytest.mark.parametrize("code", NOTHING)
def test_code_that_can_keep_nothing(code: str) -> None:
    assert not may_remember(ORIGINAL, _in_place(code))


@pytest.mark.parametrize("code", SOMETHING)
def test_code_that_may_keep_something(code: str) -> None:
    assert may_remember(ORIGINAL, _in_place(code))

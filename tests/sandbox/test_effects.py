"""What a call does beside returning: compared where a case asks for it."""

from __future__ import annotations

import re
import sys
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from calling import blob

from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from calling import Call

LOG = "import logging\nlog = logging.getLogger('shop')\n"
EFFECTS = {
    "a log record is dropped": (
        LOG + "def f(xs):\n    for x in xs:\n        log.debug('saw %s', x)\n    return len(xs)",
        LOG + "def f(xs):\n    return len(xs)",
        "did not do what the original does: log 'saw 1' ('DEBUG', logger 'shop')",
    ),
    "a record has another level": (
        LOG + "def f(xs):\n    log.info('done')",
        LOG + "def f(xs):\n    log.debug('done')",
        "log 'done' ('DEBUG', logger 'shop') instead of log 'done' ('INFO', logger 'shop')",
    ),
    "a warning is dropped": (
        "import warnings\ndef f(xs):\n    warnings.warn('old', DeprecationWarning)",
        "def f(xs):\n    pass",
        "warn 'old' (DeprecationWarning)",
    ),
    "a counter of a class is not counted": (
        "class Stats:\n    hits = 0\ndef f(xs):\n    for x in xs:\n        Stats.hits += 1",
        "class Stats:\n    hits = 0\ndef f(xs):\n    Stats.hits += 1",
        "left 'target.Stats.hits' as 1 instead of 3",
    ),
    "the cause of an exception is dropped": (
        "def f(xs):\n    try:\n        xs[9]\n    except IndexError as low:\n        raise ValueError('x') from low",
        "def f(xs):\n    raise ValueError('x')",
        "in what it came from: nothing instead of from IndexError('list index out of range')",
    ),
    "another exception was being handled": (
        "def f(xs):\n    try:\n        xs[9]\n    except IndexError:\n        raise ValueError('x')",
        "def f(xs):\n    try:\n        {}[9]\n    except KeyError:\n        raise ValueError('x')",
        "in what it came from: while KeyError was handled instead of while IndexError was handled",
    ),
    "a note of an exception is dropped": (
        "def f(xs):\n    error = ValueError('x')\n    error.add_note('in row 1')\n    raise error",
        "def f(xs):\n    raise ValueError('x')",
        "raised ValueError('x')",
    ),
    "a file is written anew": (
        "def f(xs):\n    for x in xs:\n        with open('/tmp/log.txt', 'a') as file:\n            file.write(f'{x}')",
        "def f(xs):\n    with open('/tmp/log.txt', 'w') as file:\n        file.write(f'{xs[0]}')",
        "left in the file '/tmp/log.txt' b'1' instead of b'123'",
    ),
    "what was in a file is lost": (
        "def f(xs):\n    for x in xs:\n        with open('/tmp/log.txt', 'a') as file:\n            file.write(f'{x}')",
        "def f(xs):\n    with open('/tmp/log.txt', 'w') as file:\n        file.write(''.join(map(str, xs)))",
        "the same call left in the file '/tmp/log.txt' b'123' instead of b'123123'",
    ),
    "what is returned is kept": (
        "def f(xs):\n    return sorted(xs)",
        "_KEPT = {}\ndef f(xs):\n    return _KEPT.setdefault(tuple(xs), sorted(xs))",
        "after the caller changed what it had made, the same call returned",
    ),
    "a cache knows a list by its identity": (
        "def f(xs):\n    return sum(xs)",
        "_SUMS = {}\ndef f(xs):\n    return _SUMS.setdefault(id(xs), sum(xs))",
        "did not do on a list that it had seen, once the last item was removed, what it does on an equal list",
    ),
    "objects that are returned are shared": (
        "class Row:\n    def __init__(self, xs):\n        self.xs = xs\ndef f(xs):\n    return Row(tuple(xs))",
        (
            "class Row:\n    def __init__(self, xs):\n        self.xs = xs\n_ROW = {}\n"
            "def f(xs):\n    return _ROW.setdefault(tuple(xs), Row(tuple(xs)))"
        ),
        "returned parts of what it had returned before",
    ),
}
HONEST = {
    "what is left of a list is no input": (
        "def f(xs):\n    return xs[1] if len(xs) > 1 else 0",
        "def f(xs):\n    return xs[1]",
    ),
    "a cache of text": (
        "def f(xs):\n    return ','.join(map(str, xs))",
        (
            "_TEXT = {}\ndef f(xs):\n    key = tuple(xs)\n    if key not in _TEXT:\n"
            "        _TEXT[key] = ','.join(map(str, xs))\n    return _TEXT[key]"
        ),
    ),
    "the same records another way": (
        LOG + "def f(xs):\n    for x in xs:\n        log.info('saw %s', x)",
        LOG + "def f(xs):\n    say = log.info\n    for x in xs:\n        say(f'saw {x}')",
    ),
    "the same file written at once": (
        "def f(xs):\n    for x in xs:\n        with open('/tmp/log.txt', 'a') as file:\n            file.write(f'{x}')",
        "def f(xs):\n    with open('/tmp/log.txt', 'a') as file:\n        file.write(''.join(map(str, xs)))",
    ),
    "a file is closed that was left open": (
        "def f(xs):\n    return len(open(__import__('os').devnull).read())",
        "def f(xs):\n    with open(__import__('os').devnull) as file:\n        return len(file.read())",
    ),
    "numpy makes a function at the first call": (
        "import numpy\nhalf = numpy.vectorize(lambda x: x / 2, otypes='d')\ndef f(xs):\n    return half(xs).tolist()",
        "def f(xs):\n    return [x / 2 for x in xs]",
    ),
    "a lock and an attribute of its own": (
        "class Stats:\n    hits = 0\ndef f(xs):\n    Stats.hits += 1\n    return len(xs)",
        (
            "import threading\n_LOCK = threading.Lock()\nclass Stats:\n    hits = 0\n"
            "def f(xs):\n    with _LOCK:\n        Stats.hits += 1\n    Stats.seen = 1\n    return len(xs)"
        ),
    ),
}


def _verdict(call: Call, original: str, rewrite: str, *blobs: bytes) -> tuple[Verdict, str]:
    known_names = tuple(set(re.findall(r"\w+", original)))
    made = call(original, *blobs, known_names=known_names)
    assert made.verdict is Verdict.ACCEPTED, (made.detail, made.stderr)
    expected = tuple(outcome.encoded for outcome in made.outcomes)
    again = call(original, *blobs[::-1], expected=expected[::-1], known_names=known_names)
    assert again.verdict is Verdict.ACCEPTED, again.detail
    report = call(rewrite, *blobs, expected=expected, known_names=known_names)
    return report.verdict, report.detail


@pytest.mark.parametrize(("original", "rewrite", "told"), EFFECTS.values(), ids=EFFECTS)
def test_another_effect_is_a_difference(call: Call, original: str, rewrite: str, told: str) -> None:
    verdict, detail = _verdict(call, original, rewrite, blob([1, 2, 3]))
    assert verdict is Verdict.WRONG_ANSWER
    assert told in detail


ENDLESS = (
    "def f(xs):\n    n, told = 4, ''\n    while n:\n        n, digit = divmod(n, len(xs))\n        told += str(digit)\n"
)


def test_a_call_may_never_end_on_a_list_with_one_item_less(call: Call) -> None:
    """Nobody has asked for that call; where the first of them never ends, no further one is made."""
    blobs = [blob([number, 1]) for number in range(4)]
    assert _verdict(call, f"{ENDLESS}    return told", f"{ENDLESS}    return ''.join(told)", *blobs)[1] == ""
    verdict, detail = _verdict(call, f"{ENDLESS}    return told", f"{ENDLESS}    return told[1:]", *blobs)
    assert verdict is Verdict.WRONG_ANSWER
    assert "returned" in detail


@pytest.mark.parametrize(("original", "rewrite"), HONEST.values(), ids=HONEST)
def test_the_same_effects_by_other_means_are_no_difference(call: Call, original: str, rewrite: str) -> None:
    assert _verdict(call, original, rewrite, blob([1, 2, 3]), blob([4, 5])) == (Verdict.ACCEPTED, "")


HELD = {
    "an item of a list": ("[1, 2]", "HOLDER.DATA[0] = 5"),
    "an item deep inside": ("{'a': ([], [1, {'b': 2}])}", "HOLDER.DATA['a'][1][1]['b'] = 3"),
    "an item more": ("('a', ['b'])", "HOLDER.DATA[1].append('c')"),
    "another key for the same value": ("{'a': 1}", "HOLDER.DATA['b'] = HOLDER.DATA.pop('a')"),
    "an attribute": ("Rate(1_000)", "HOLDER.DATA.rate += 1; HOLDER.DATA.rate += 1"),
    "a list in an attribute": ("Rate([1])", "HOLDER.DATA.rate.append(2)"),
    "a set": ("{1}", "HOLDER.DATA.add(2)"),
    "a number": ("1_000", "HOLDER.DATA += 1"),
    "True for 1": ("[1]", "HOLDER.DATA[0] = True"),
    "another list that is equal to none": ("[1]", "HOLDER.DATA = [[]]"),
    "an attribute of an object in a list": ("[Rate(1_000)]", "HOLDER.DATA[0].rate = 2"),
    "an attribute of an object behind others": (
        "Rate(Rate((1, Rate([1]))))",
        "HOLDER.DATA.rate.rate[1].rate.append(2)",
    ),
    "another class": ("[Rate(1)]", "HOLDER.DATA[0].__class__ = Other"),
    "an attribute of a kind of tuple": ("{'a': Kind('xy')}", "HOLDER.DATA['a'].note = 1"),
    "an object in a kind of tuple": ("Kind([Rate(1)])", "HOLDER.DATA[0].rate = 2"),
    "a slot": ("[Slotted(1)]", "HOLDER.DATA[0].rate = 2"),
    "a slot that becomes empty": ("[Slotted(1)]", "del HOLDER.DATA[0].rate"),
    "who is in a ring": ("ring()", "HOLDER.DATA.rate[0].rate.append(1)"),
    "a list behind a method": ("[[].append]", "HOLDER.DATA[0](1)"),
    "the default of a dictionary": ("collections.defaultdict(list)", "HOLDER.DATA.default_factory = int"),
    "an item of a deque": ("collections.deque([Rate(1)])", "HOLDER.DATA[0].rate = 2"),
}
HOLDERS = {
    "of the function": ("HOLDER = sys.modules[__name__]\nDATA = {held}\n", "target.DATA"),
    "of another module": (
        (
            "HOLDER = ModuleType('rates')\nHOLDER.__file__ = '/afterburner/program/rates.py'\n"
            "sys.modules['rates'] = HOLDER\nHOLDER.DATA = {held}\n"
        ),
        "rates.DATA",
    ),
    "of a class": ("class HOLDER:\n    DATA = {held}\n", "target.HOLDER.DATA"),
}


@pytest.mark.parametrize(("holder", "name"), HOLDERS.values(), ids=HOLDERS)
@pytest.mark.parametrize(("held", "change"), HELD.values(), ids=HELD)
def test_a_change_of_what_is_held_is_seen_after_calls_that_change_nothing(
    call: Call, held: str, change: str, holder: str, name: str
) -> None:
    start = (
        "import collections\nimport sys\nfrom types import ModuleType\n"
        "class Rate:\n    def __init__(self, rate):\n        self.rate = rate\n"
        "class Other(Rate): pass\nclass Kind(tuple): pass\n"
        "class Slotted:\n    __slots__ = ('rate',)\n    def __init__(self, rate):\n        self.rate = rate\n"
        "def ring():\n    first = Rate([])\n    first.rate.append(Rate([first]))\n    return first\n"
        f"{holder.format(held=held)}def f(x):\n    HOLDER.DATA\n    if x == 3:\n        "
    )
    verdict, detail = _verdict(call, f"{start}pass", f"{start}{change}", *map(blob, (1, 2, 3, 4)))
    assert verdict is Verdict.WRONG_ANSWER
    assert detail.startswith(f"call 3 left '{name}' changed"), detail


def test_a_change_of_what_two_names_share_is_seen_again_after_one_that_was_taken_back(call: Call) -> None:
    start = (
        "import sys\nfrom types import ModuleType\nHOLDER = ModuleType('rates')\n"
        "HOLDER.__file__ = '/afterburner/program/rates.py'\nsys.modules['rates'] = HOLDER\n"
        "HOLDER.ONE = [1]\nHOLDER.OTHER = {'same': HOLDER.ONE}\n"
        "def f(x):\n    if x % 2 == 0:\n        HOLDER.ONE.append(x)\n    if x == 5:\n        "
    )
    changes = start + "HOLDER.OTHER['same'] = []"
    verdict, detail = _verdict(call, f"{start}pass", changes, *map(blob, (1, 2, 3, 4, 5)))
    assert verdict is Verdict.WRONG_ANSWER
    assert detail.startswith("call 5 left 'rates.OTHER' changed"), detail


CALLED = """
def first(x): seen.append(x)
def second(x): pass
def key(x): return -x
seen = []
"""
EACH = "def f(listeners, xs):\n    for x in xs:\n        for each in listeners:\n            each(x)\n"
ONE = "def f(listeners, xs):\n    for x in xs:\n        listeners[0](x)\n"
IN_TURN = "def f(listeners, xs):\n    for each in listeners:\n        for x in xs:\n            each(x)\n"
SORTED = "def f(listeners, xs):\n    return sorted(sorted(xs, key=listeners[0]), key=listeners[0])\n"
SORTED_ONCE = "def f(listeners, xs):\n    return sorted(xs, key=listeners[0])\n"


@pytest.fixture
def listeners(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[int], object]]:
    """`second`, `second` and `key` of a module that is only here to be named in a pickle."""
    module = ModuleType("target")
    exec(CALLED, vars(module))  # noqa: S102 - the text above
    monkeypatch.setitem(sys.modules, "target", module)
    for each in (module.first, module.second, module.key):
        each.__module__ = "target"
    return [module.second, partial(module.second), module.key]


@pytest.mark.parametrize(
    ("original", "rewrite", "told"),
    [
        (EACH, EACH, ""),
        (EACH, ONE, "did not do the same on its way: call second(2) instead of call second(1)"),
        (EACH, IN_TURN, "did not do the same on its way: call second(2) instead of call second(1)"),
    ],
)
def test_functions_that_came_with_the_arguments_are_called_alike(
    call: Call, listeners: list[Callable[[int], object]], original: str, rewrite: str, told: str
) -> None:
    verdict, detail = _verdict(call, CALLED + original, CALLED + rewrite, blob(listeners[:2], [1, 2]))
    assert (verdict is Verdict.ACCEPTED) == (not told)
    assert told in detail


def test_a_function_that_gives_values_may_be_asked_less_often(
    call: Call, listeners: list[Callable[[int], object]]
) -> None:
    given = blob(listeners[2:], [1, 2, 3])
    assert _verdict(call, CALLED + SORTED, CALLED + SORTED_ONCE, given) == (Verdict.ACCEPTED, "")


PAGES = """\
def f(told, rows):
    with open("/tmp/pages.txt", "w") as file:
        for row in rows:
            file.write(f"{row};")
            file.flush()
            told(row)
"""
UNFLUSHED = PAGES.replace("            file.flush()\n", "")
LATE = PAGES.replace("            told(row)\n", "    for row in rows:\n        told(row)\n")
OTHERWISE = PAGES.replace('file.write(f"{row};")', 'file.write(str(row) + ";")')


@pytest.mark.parametrize(
    ("original", "rewrite", "told"),
    [
        (PAGES, UNFLUSHED, "find [('/tmp/pages.txt', 0)] bytes in files instead of"),
        (PAGES, LATE, "find [('/tmp/pages.txt', 4)] bytes in files instead of"),
        (PAGES, OTHERWISE, ""),
        (UNFLUSHED, PAGES, ""),  # how much buffers hold back is no effect
    ],
)
def test_files_that_are_written_out_are_found_as_far_by_who_is_called(
    call: Call, listeners: list[Callable[[int], object]], original: str, rewrite: str, told: str
) -> None:
    verdict, detail = _verdict(call, CALLED + original, CALLED + rewrite, blob(listeners[0], [7, 8]))
    assert (verdict is Verdict.ACCEPTED) == (not told), detail
    assert told in detail


@pytest.mark.parametrize(("rewrite", "told"), [(UNFLUSHED, "find [('/tmp/pages.txt', 0)] bytes"), (OTHERWISE, "")])
def test_a_method_of_a_list_finds_files_that_are_written_out(call: Call, rewrite: str, told: str) -> None:
    heard: list[object] = []
    verdict, detail = _verdict(call, PAGES, rewrite, blob(heard.append, [7, 8]))
    assert (verdict is Verdict.ACCEPTED) == (not told), detail
    assert told in detail


def test_who_gives_values_may_find_files_less_often(call: Call, listeners: list[Callable[[int], object]]) -> None:
    original = CALLED + PAGES.replace("told(row)", "told(row) + told(row)")
    assert _verdict(call, original, CALLED + PAGES, blob(listeners[2], [7, 8])) == (Verdict.ACCEPTED, "")

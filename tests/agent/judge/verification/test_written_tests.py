"""The test of a counterexample: it is run with pytest, passes with the original, and fails with the rewrite."""

from __future__ import annotations

import copy
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.cli.counterexample_file import tests_file as text_of_file
from afterburner.agent.judge.verification import shrinking
from afterburner.agent.judge.verification.outcome import Counterexample
from afterburner.agent.judge.verification.written_helpers import same
from afterburner.agent.types import Target

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Compare


@pytest.fixture(autouse=True)
def time_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is busy with other things makes the processes late."""
    monkeypatch.setattr(shrinking, "TELLING_S", 300.0)


PLAIN = "def f(xs, k=1):\n    return [x * k for x in xs]\n"
ROWS = """\
import datetime as dt
from dataclasses import dataclass
from decimal import Decimal

@dataclass
class Row:
    name: str
    day: dt.date
    price: Decimal

def f(rows):
    best = None
    for row in rows:
        if best is None or row.price > best.price:
            best = row
    return best
"""
ROW_CALLS = """\
days = [dt.date(2024, 2, 29), dt.date(2024, 3, 1)]
f([Row("it's", days[0], Decimal("1.5")), Row("b", days[1], Decimal("2.5")), Row("c", days[1], Decimal("2.5"))])
"""
STATE = """\
SEEN = {"calls": 0}

def f(key):
    SEEN["calls"] += 1
    if not key:
        raise KeyError(key, "is empty")
    print(key)
    return SEEN["calls"]
"""
FRAME = """\
import pandas as pd

def f(frame, floor):
    return frame[frame["a"] > floor].reset_index(drop=True)
"""
METHOD = """\
class Cart:
    def __init__(self, prices):
        self.prices = list(prices)
        self.taken = []

    def take(self, count):
        for price in sorted(self.prices)[:count]:
            self.taken.append(price)
            yield price
"""
PRIVATE = """\
class Cart:
    def __init__(self, prices):
        self.prices = list(prices)

    def __first(self):
        return self.prices[0]

    def first(self):
        return self.__first()
"""
BY_DAY = {"an exception", "records", "state"}  # the others at night
CASES = {
    "a type": (PLAIN, PLAIN.replace("x * k", "float(x * k)"), "f([1, 2])\nf([3], k=2)", "f"),
    "records": (ROWS, ROWS.replace("row.price > best", "row.price >= best"), ROW_CALLS, "f"),
    "state": (STATE, STATE.replace("+= 1", "+= 2"), "f('a')\nf('b')", "f"),
    "an exception": (STATE, STATE.replace("is empty", "empty"), "f('a')\ntry: f('')\nexcept KeyError: pass", "f"),
    "what is printed": (STATE, STATE.replace("print(key)", "print(key.upper())"), "f('a')\nf('b')", "f"),
    "a frame": (
        FRAME,
        FRAME.replace("> floor", ">= floor"),
        "f(pd.DataFrame({'a': [1, None, 3], 'b': ['x', 'y', None]}), 1)",
        "f",
    ),
    "a private method": (PRIVATE, PRIVATE.replace("prices[0]", "prices[-1]"), "Cart([1, 2]).first()", "Cart.__first"),
    "an object": (METHOD, METHOD.replace("[:count]", "[:count - 1]"), "list(Cart([3, 1, 2]).take(2))", "Cart.take"),
}  # fmt: skip


def run(folder: Path, module: str, test: str) -> subprocess.CompletedProcess[str]:
    """Run the file with pytest beside this module."""
    (folder / "module.py").write_text(module)
    (folder / "test_it.py").write_text(test)
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def file_of(folder: Path, found: object, function: str = "f") -> str:
    assert isinstance(found, Counterexample)
    target = Target(str(folder / "module.py"), "", function, "module", str(folder), str(folder))
    return text_of_file(str(folder / "test_it.py"), target, [("other", found.test)])


def test_what_is_tried_by_day_is_there() -> None:
    assert set(CASES) >= BY_DAY


@pytest.mark.nightly
@pytest.mark.parametrize(
    "case", [case if case in BY_DAY else pytest.param(case, marks=pytest.mark.nightly) for case in CASES]
)
def test_it_passes_with_the_original_and_fails_with_the_rewrite(compare: Compare, tmp_path: Path, case: str) -> None:
    original, rewrite, calls, function = CASES[case]
    found = compare(original, rewrite, calls, function=function, rounds=0, writes_tests=True)
    text = file_of(tmp_path, found, function)
    right, wrong = run(tmp_path, original, text), run(tmp_path, rewrite, text)
    assert "1 passed" in right.stdout, right.stdout
    assert "1 failed" in wrong.stdout, text


HOSTILE = """\
class Odd:
    def __init__(self, **held):
        vars(self).update(held)

Evil = type("Evil(__import__('os'))#", (Odd,), {"__module__": __name__})
globals()[Evil.__qualname__] = Evil

def f(value, extra=None):
    return [value, extra]
"""
TEXTS = [
    '"""\n__import__("os").abort()\n"""',
    "'); import os; os.abort() #",
    "\\u202e\n# coding: rot13",
    "{os.abort()}",
]
VALUES = [repr(TEXTS), repr({text: text for text in TEXTS}), f"Odd(**{{{TEXTS[0]!r}: 1}})", "Evil(a=1)"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "value",
    [pytest.param(VALUES[0], id="texts")]
    + [
        pytest.param(value, id=name, marks=pytest.mark.nightly)
        for value, name in zip(VALUES[1:], ("keys", "attributes", "the name of a class"), strict=True)
    ],
)
def test_hostile_values_do_not_become_code(compare: Compare, tmp_path: Path, value: str) -> None:
    rewrite = HOSTILE.replace("[value, extra]", "(value, extra)")
    found = compare(HOSTILE, rewrite, f"f({value})", rounds=0, writes_tests=True, shrinking_s=0.0)
    text = file_of(tmp_path, found)
    done = run(tmp_path, HOSTILE, text)
    assert "1 passed" in done.stdout or "1 skipped" in done.stdout, done.stdout
    assert ("1 skipped" in done.stdout) == ("Odd" in value or "Evil" in value)
    assert text.isascii()


@pytest.mark.nightly
def test_what_cannot_be_written_is_skipped_with_the_reason(compare: Compare, tmp_path: Path) -> None:
    original = "import re\ndef f(pattern, text):\n    return [*pattern.findall(text)]\n"
    rewrite = original.replace("[*pattern.findall(text)]", "(*pattern.findall(text),)")
    found = compare(original, rewrite, "f(re.compile('a'), 'aa')", rounds=0, writes_tests=True)
    done = run(tmp_path, original, file_of(tmp_path, found))
    assert "1 skipped" in done.stdout
    assert isinstance(found, Counterexample)
    assert "could not be written as code" in found.test


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name",
    ["spec", *(pytest.param(each, marks=pytest.mark.nightly) for each in ("create", "new_callable", "autospec"))],
)
def test_the_state_of_a_module_may_have_any_name(compare: Compare, tmp_path: Path, name: str) -> None:
    original = STATE.replace("SEEN", name)
    rewrite = original.replace("+= 1", "+= 2")
    text = file_of(tmp_path, compare(original, rewrite, "f('a')\nf('b')", rounds=0, writes_tests=True))
    assert "1 passed" in run(tmp_path, original, text).stdout
    assert "1 failed" in run(tmp_path, rewrite, text).stdout, text


def test_without_time_left_there_is_no_test(compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shrinking, "TELLING_S", 0.0)
    found = compare(PLAIN, PLAIN.replace("x * k", "float(x * k)"), "f([1, 2])", rounds=0, writes_tests=True)
    assert isinstance(found, Counterexample)
    assert "there was no time left" in found.test


def test_a_value_is_the_same_as_itself_and_as_no_other() -> None:
    nan = float("nan")
    for value in (nan, complex(nan, 1), complex(1, nan), {1: [nan]}, frozenset({2.0}), -0.0, complex(0, -0.0)):
        assert same(value, copy.deepcopy(value))
    for one, other in ((0.0, -0.0), (complex(nan, 1), complex(nan, 2)), (complex(0, 0.0), complex(0, -0.0)), (1, 1.0)):
        assert not same(one, other)

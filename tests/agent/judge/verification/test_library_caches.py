"""What a library keeps for itself at its first call is not held against anybody: identical code does the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.judge.verification.outcome import Agreement, Counterexample

if TYPE_CHECKING:
    from ...inputs.conftest import Project  # noqa: TID252 - a fixture of its
    from .conftest import Compare

pytestmark = pytest.mark.slow

LIBRARY = """
import functools

class Compiled:
    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.machine_code = {}

    def __call__(self, *given):
        kinds = tuple(type(each).__name__ for each in given)
        self.machine_code.setdefault(kinds, "compiled for %s" % (kinds,))
        return self.__wrapped__(*given)
"""
HELPER = """
from quick import Compiled

def _double(number):
    return 2 * number

class Maths:
    triple = Compiled(lambda number: 3 * number)

double = Compiled(_double)
"""
ORIGINAL = """
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "other-packages"))
import helper
from quick import Compiled

def _half(number):
    return number / 2

half = Compiled(_half)

def f(numbers):
    found = []
    for number in numbers:
        found.append(half(helper.double(number)) + helper.Maths.triple(number))
    return found
"""
CALLS = "f([1, 2, 3])\nf([1.5, 2.5])\nf([])"


@pytest.fixture(autouse=True)
def library(project: Project) -> None:
    project.write("other-packages/quick.py", LIBRARY)
    project.write("helper.py", HELPER)


def test_identical_code_around_compiling_libraries_does_the_same(compare: Compare) -> None:
    found = compare(ORIGINAL, ORIGINAL, CALLS, rounds=1)
    assert isinstance(found, Agreement)
    assert dict(found.by_kind)["captured from __main__"] == 3
    assert {"one element", "reversed"} <= dict(found.by_kind).keys()


def test_fewer_calls_of_what_compiles_are_no_difference(compare: Compare) -> None:
    found = compare(ORIGINAL, ORIGINAL.replace("half(helper.double(number))", "number * 2 / 2"), CALLS, rounds=1)
    assert isinstance(found, Agreement)


@pytest.mark.nightly
def test_data_that_a_project_keeps_in_an_object_of_its_own_still_counts(compare: Compare, project: Project) -> None:
    project.write("helper.py", HELPER + LIBRARY.replace("Compiled", "Counted") + "double = Counted(_double)\n")
    found = compare(ORIGINAL, ORIGINAL.replace("helper.double(number)", "2 * number"), CALLS, rounds=1)
    assert isinstance(found, Counterexample)
    assert "left 'helper.double" in found.line

"""Functions of a package that puts another object in its place in `sys.modules` while it is imported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from .conftest import every_call, of_origin, reasons

if TYPE_CHECKING:
    from afterburner.agent.types import WorkloadCall

    from .conftest import Project

PACKAGE = '''\
import sys
import types

UNITS = {"kB": 1000}
SEEN = []


def kilo(count):
    """
    >>> kilo(7)
    7000
    """
    SEEN.append(count)
    return count * UNITS["kB"] + len(SEEN) - 1


def by_unit(name):
    return lambda count: count * UNITS[name]


def convert(count: int, how=by_unit("kB")):
    return how(count)


class Size:
    def __init__(self, count: int):
        self.count = count

    def total(self):
        return self.count * UNITS["kB"]


class Renamed(types.ModuleType):
    """Finds the old names, too."""

    def __init__(self, module):
        super().__init__(module.__name__)
        self.module = module

    def __getattr__(self, name):
        return getattr(self.module, {"kilobytes": "kilo"}.get(name, name))


HOLDER
'''
WITH_ATTRIBUTES = "sys.modules[__name__] = Renamed(sys.modules[__name__])"
NO_MODULE = 'sys.modules[__name__] = type("Facade", (), {"__getattr__": lambda _, name: globals()[name]})()'
TESTS = """\
import units
from units import kilo

def test_kilo():
    assert kilo(2) == 2000
    assert units.kilo(3) == 3001
"""


@pytest.fixture(params=[WITH_ATTRIBUTES, NO_MODULE], ids=["a module with attributes", "no module"])
def package(project: Project, request: pytest.FixtureRequest) -> Project:
    """A project with such a package and its tests."""
    project.write("pyproject.toml", "")
    project.write("units/__init__.py", PACKAGE.replace("HOLDER", request.param))
    project.write("tests/test_units.py", TESTS)
    return project


def returned(calls: list[WorkloadCall]) -> list[Any]:
    """What the original returned from these calls."""
    return sorted(json.loads(call.expected)[2][1] for call in calls)


def test_calls_of_tests_and_doctests_are_recorded_and_made_again(package: Project) -> None:
    workload = package.workload("units/__init__.py", "kilo")
    assert returned(of_origin(workload, "pytest")) == [2000, 3001], reasons(workload)
    assert returned(of_origin(workload, "doctest")) == [7000], reasons(workload)


@pytest.mark.parametrize(
    ("function", "call", "result"),
    [
        ("convert", "convert(4, by_unit('kB'))", 4000),  # a function that the package makes is copied with the call
        ("convert", "convert(6, lambda n: 2 * UNITS['kB'] * n)", 12000),
        ("convert", "convert(6, units.by_unit('kB'))", 6000),
        ("Size.total", "Size(5).total()", 5000),
    ],
)
def test_a_file_of_calls_finds_the_names_of_the_package(
    package: Project, function: str, call: str, result: int
) -> None:
    workload = package.workload("units/__init__.py", function, calls=package.write("calls.py", call + "\n"))
    assert result in returned(every_call(workload)), reasons(workload)

"""Calls that are given functions without a name, or objects that hold some: a table with a lambda, a callback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .conftest import every_call, of_origin, reasons
from .test_captured_calls import outcome

if TYPE_CHECKING:
    from .conftest import Project

TABLE = """
class Table:
    def __init__(self, rows, indent=2):
        self.rows = rows
        self.shown = lambda value: " " * indent + str(value)
        self.calls = 0

        def note():
            self.calls += 1

        self.note = note

    def lines(self):
        self.note()
        return [self.shown(row) for row in self.rows]
"""


def test_methods_of_an_object_that_holds_functions_of_its_own(project: Project) -> None:
    project.write(
        "table.py", TABLE + '\nif __name__ == "__main__":\n    Table([1, "b"]).lines()\n    Table([], 0).lines()\n'
    )
    workload = project.workload("table.py", "Table.lines")
    captured = of_origin(workload, "captured from __main__")
    assert sorted(outcome(call)[1] for call in captured) == [["list"], ["list", "  1", "  b"]]
    assert len(every_call(workload)) > len(captured), "others are made from these"
    assert "cannot be" not in reasons(workload)


@pytest.mark.slow
def test_the_callbacks_of_a_projects_tests(project: Project) -> None:
    project.write("pyproject.toml", "[project]\nname = 'keep'\nversion = '1'\n")
    project.write("keep.py", "def keep(rule, items):\n    return [item for item in items if rule(item)]\n")
    project.write(
        "tests/test_keep.py",
        "from keep import keep\n"
        "LEAST = 2\n"
        "def at_least(n):\n    return lambda item: item >= n\n"
        "def test_plain():\n    assert keep(lambda item: item > 1, [1, 2, 3]) == [2, 3]\n"
        "def test_closure():\n    assert keep(at_least(3), [1, 2, 3]) == [3]\n"
        "def test_name_of_the_test_module():\n    assert keep(lambda item: item < LEAST, [1, 2, 3]) == [1]\n"
        "import math\n"
        "def is_even(item):\n    return math.floor(item) == item and not is_odd(item)\n"
        "def is_odd(item):\n    return item % 2 == 1\n"
        "def test_function_of_the_test_module():\n    assert keep(is_even, [1, 2, 3]) == [2]\n",
    )
    workload = project.workload("keep.py", "keep")
    captured = sorted(outcome(call)[1] for call in of_origin(workload, "pytest"))
    assert captured == [["list", 1], ["list", 2], ["list", 2, 3], ["list", 3]], reasons(workload)

"""Workbenches of small real projects, in the real sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.workbench import Workbench

from ..workloads.conftest import project  # noqa: F401, TID252 - the same small projects, as a fixture

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..workloads.conftest import Project  # noqa: TID252 - likewise

    MakeBench = Callable[..., Workbench]

COMMON = """\
def common(left, right):
    result = []
    for name in left:
        if name in right:
            result.append(name)
    return result


if __name__ == "__main__":
    left = [f"name-{number}" for number in range(400)]
    right = [f"name-{number * 3}" for number in range(300)]
    common(left, right)
    common(left[50:], right[:200])
    common(left[10:350], right)
"""
COMMON_BY_SET = COMMON.replace("    result = []\n", "    result = []\n    known = set(right)\n").replace(
    "if name in right", "if name in known"
)


@pytest.fixture
def make_bench(project: Project) -> MakeBench:  # noqa: F811 - the fixture above
    """The workbench of a function of a file with this text, on the calls that the file makes."""

    def make(source: str, function: str, name: str = "module.py") -> Workbench:
        project.write(name, source)
        target = project.target(name, function)
        workload = project.workload(name, function)
        return Workbench(target, workload, project.sandbox, project.environment(target), project.limits, None)

    return make

"""Workbenches of small real projects, in the real sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.evidence.classes import fit_growth
from afterburner.agent.evidence.growth import Growth, GrowthPoint
from afterburner.agent.evidence.project_files import ProjectFile
from afterburner.agent.evidence.receipt import Receipt, sha256_of
from afterburner.agent.evidence.receipt_parts import ReceiptInput, ReceiptSettings, ReceiptTarget
from afterburner.agent.judge.measuring.workbench import Workbench
from afterburner.agent.types import Decision, Gain, Machine, Objective

from ..inputs.conftest import project  # noqa: F401, TID252 - the same small projects, as a fixture

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..inputs.conftest import Project  # noqa: TID252 - likewise

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


SIZES = [250 * 2**step for step in range(6)]
POINTS = tuple(GrowthPoint(size, 2e-9 * size * size, 4e-8 * size) for size in SIZES)
GROWTH = Growth(
    "len(left) + len(right)",
    POINTS,
    fit_growth([(point.size, point.original_s) for point in POINTS]),
    fit_growth([(point.size, point.winner_s or 0.0) for point in POINTS]),
)

MACHINE = Machine("Linux 6.1 x86_64", "Quick CPU", 2, 8_388_608, "3.11", "bubblewrap 0.8.0", "rlimits")
GAIN = Gain(2.0, 1.8, 2.2, 0.99, 8)


def an_input(data: bytes, *, held_out: bool) -> ReceiptInput:
    return ReceiptInput("call", data, sha256_of(b"7"), "doctest", "f(1)", held_out, 0, 0.01)


RECEIPT = Receipt(
    target=ReceiptTarget("src/shop/report.py", "total", "shop.report", "src"),
    original="def total(x):\n    return 7\n",
    winner="def total(x):\r\n    return 7  # \udc80\n",
    inputs=(an_input(b"\x80\x04", held_out=False), an_input(b"\x80\x05", held_out=True)),
    project=(ProjectFile("src/shop/__init__.py", sha256_of(b"")),),
    settings=ReceiptSettings(Objective.TIME, 0.05, 3),
    decision=Decision.IMPROVED,
    gain=GAIN,
    held_out_gain=None,
    blocks=(),
    machine=MACHINE,
    program_version="0.1.0",
)


@pytest.fixture
def make_bench(project: Project) -> MakeBench:  # noqa: F811 - the fixture above
    """The workbench of a function of a file with this text, on the calls that the file makes."""

    def make(source: str, function: str, name: str = "module.py", *, float_tolerance: float | None = None) -> Workbench:
        project.write(name, source)
        target = project.target(name, function)
        workload = project.workload(name, function, float_tolerance=float_tolerance)
        return Workbench(target, workload, project.sandbox, project.environment(target), project.limits, None)

    return make

"""Graders of LeetCode problems in APPS and LiveCodeBench: one process and one instance make the calls of all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.evals.graders.calls import CHECKER_LIMITS
from afterburner.evals.graders.inside_programs import inside_program, inside_runner
from afterburner.evals.inside.values import encode
from afterburner.sandbox import Program, TestCase
from afterburner.sandbox.checkers import Custom

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def in_turn_runner(function: str, preamble: str, seconds: int) -> str:
    """Give a runner that calls a function, or a method of one `Solution`, for each test of its single case.

    Args:
        function: or the method.
        preamble: Python that runs before the solution.
        seconds: for each test.
    """
    return inside_runner("in_turn", "answer", preamble=preamble, entry=function, seconds=seconds)


def in_turn_case(arguments: Sequence[Sequence[Any]], expected: Sequence[Any]) -> TestCase:
    """The single case of all tests, as that runner reads it."""
    given, wanted = encode([list(each) for each in arguments]), encode(list(expected))
    return TestCase(f"{given}\n".encode(), f"{wanted}\n".encode(), f"all {len(expected)} tests")


def apps_calls_checker() -> Custom:
    """The rule of APPS for calls: the stored value or its first element; see `evals/inside/apps.py`."""
    return _checker("apps")


def livecodebench_calls_checker() -> Custom:
    """LiveCodeBench's rule for calls: `==`, where only the outermost tuple counts as a list."""
    return _checker("livecodebench")


def _checker(module: str) -> Custom:
    return Custom(Program("python", inside_program(module, "check_calls")), CHECKER_LIMITS, accepts_equal=True)

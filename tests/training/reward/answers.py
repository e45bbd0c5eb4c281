"""Answers of a model to the problem of a sum."""

from __future__ import annotations

from afterburner.agent import Problem
from afterburner.agent.types import Objective
from afterburner.sandbox import Limits, TestCase
from afterburner.training.reward.samples import Sample

FAST = "n = int(input())\nprint(n * (n + 1) // 2)\n"
SLOW = "n = int(input())\ntotal = 0\nfor i in range(n + 1):\n    total += i\nprint(total)\n"
WRONG = "input()\nprint(0)\n"
CHEAT = "import sys\nframe = sys._getframe()\nn = int(input())\nprint(n * (n + 1) // 2)\n"


def problem(name: str, n: int = 4_000_000) -> Problem:
    case = TestCase(f"{n}\n".encode(), f"{n * (n + 1) // 2}\n".encode())
    return Problem(
        name, "Print the sum of the numbers from 0 to n.", (case,), limits=Limits(wall_time_s=10.0, cpu_time_s=10.0)
    )


def answered(code: str, original: str = SLOW, objective: Objective = Objective.TIME, name: str = "sum") -> Sample:
    text = f"<thinking>\nless work\n</thinking>\n<solution>\n```python\n{code}```\n</solution>"
    return Sample(name, objective, original, text)

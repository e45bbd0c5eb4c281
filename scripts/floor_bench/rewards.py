"""Training: rewards a second, in the real sandbox. Run as a module, this is what the version that is measured runs."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

from afterburner.agent import Problem
from afterburner.agent.types import Objective
from afterburner.sandbox import Limits, TestCase, open_sandbox
from afterburner.training.reward.judge import RewardJudge
from afterburner.training.reward.samples import Sample
from scripts.floor_bench.floor import bare_s, environment, finish
from scripts.latency_bench.versions import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from scripts.latency_bench.versions import Program

REWARDED = "rewards a second"
_PROBLEMS, _TESTS = 2, 4
_LIMIT_S = 600.0
_ORIGINAL = "n = int(input())\ntotal = 0\nfor i in range(n + 1):\n    total += i\nprint(total)\n"
# Right ones by other ways, one that is wrong, and one that fails, as a model's answers to one prompt are.
_ANSWERS = (
    "n = int(input())\nprint(n * (n + 1) // 2)\n",
    "print(sum(range(int(input()) + 1)))\n",
    "n = int(input())\ntotal = 0\nwhile n:\n    total += n\n    n -= 1\nprint(total)\n",
    "n = int(input())\nprint(sum(i for i in range(n + 1)))\n",
    "n = int(input())\nprint(sum([i for i in range(n + 1)]))\n",
    "from functools import reduce\nprint(reduce(lambda a, b: a + b, range(int(input()) + 1)))\n",
    "print(int(input()) + 1)\n",
    "print(sum(range(input())))\n",
)


def measure(program: Program, place: Path) -> dict[str, float]:
    """Rewards a second of a batch whose originals were measured before, as from the second epoch on.

    Raises:
        FloorFailedError: it failed.
    """
    command = (sys.executable, "-m", "scripts.floor_bench.rewards")
    found = json.loads(finish(command, ROOT, environment(program, place, place / "home"), _LIMIT_S))
    return {REWARDED: found["rewards"] / found["elapsed_s"]}


def bare(place: Path) -> float:
    """Rewards a second if each answer ran once on each test, as a bare process, and no more."""
    programs = [(code, f"{n}\n") for code in _ANSWERS for n in _sizes(0)]
    return len(_ANSWERS) / bare_s(programs, place)


def main() -> None:
    """Reward two batches, and print what the second one took."""
    problems = {f"sum-{number}": _problem(number) for number in range(_PROBLEMS)}
    batch = [_sample(name, code) for name in problems for code in _ANSWERS]
    with open_sandbox() as sandbox:
        judge = RewardJudge(sandbox, problems)
        judge.score(batch, progress=0.0)
        began_s = time.perf_counter()
        scored = judge.score(batch, progress=0.0, seed=1)
        elapsed_s = time.perf_counter() - began_s
    print(json.dumps({"rewards": sum(each.terms is not None for each in scored), "elapsed_s": elapsed_s}))


def _problem(number: int) -> Problem:
    cases = tuple(TestCase(f"{n}\n".encode(), f"{n * (n + 1) // 2}\n".encode()) for n in _sizes(number))
    limits = Limits(wall_time_s=10.0, cpu_time_s=10.0)
    return Problem(f"sum-{number}", "Print the sum of the numbers from 0 to n.", cases, limits=limits)


def _sizes(number: int) -> range:
    return range(20_000 + number, 100_000, 80_000 // _TESTS)


def _sample(name: str, code: str) -> Sample:
    answer = f"<thinking>\nless work\n</thinking>\n<solution>\n```python\n{code}```\n</solution>"
    return Sample(name, Objective.TIME, _ORIGINAL, answer)


if __name__ == "__main__":
    main()

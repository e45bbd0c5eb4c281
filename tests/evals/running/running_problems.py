"""Small problems, their solutions, and what a benchmark knows of them."""

from __future__ import annotations

from afterburner.agent import Problem
from afterburner.evals.problems import BenchmarkProblem, Figures, Reference
from afterburner.sandbox import Limits, TestCase

LIMITS = Limits(wall_time_s=10.0, cpu_time_s=10.0, memory_kib=262_144)
FAST = "n = int(input())\nprint(n * (n + 1) // 2)\n"
LOOP = "n = int(input())\ntotal = 0\nfor i in range(n + 1):\n    total += i\nprint(total)\n"
SLOW = LOOP.replace("    total", "    for _ in range(20):\n        pass\n    total")
LISTED = "n = int(input())\nprint(sum(list(range(n + 1))))\n"
LISTED_TWICE = "n = int(input())\nnumbers = list(range(n + 1))\nprint(sum(list(numbers)))\n"
WRONG = "print(0)\n"
SOLUTIONS = (FAST, LISTED, LISTED_TWICE, LOOP, SLOW)


def summing(name: str, sizes: tuple[int, ...]) -> Problem:
    """Add up the numbers to n."""
    cases = tuple(TestCase(f"{n}\n".encode(), f"{n * (n + 1) // 2}\n".encode()) for n in sizes)
    return Problem(name, "Read n. Print the sum of the numbers from 0 to n.", cases, limits=LIMITS)


def benchmark_problem(name: str, *, private: bool = True, solutions: tuple[str, ...] = SOLUTIONS) -> BenchmarkProblem:
    """The problem with references whose figures are as if another machine had measured them."""
    references = tuple(
        Reference(
            code,
            Figures(0.01 * n, 0.01 * n, 9_000.0 + n, 100.0 * n),
            Figures(0.01 * n, 0.01 * n, 9_000.0, 90.0 * n),
        )
        for n, code in enumerate(solutions, start=1)
    )
    return BenchmarkProblem(
        "own",
        name,
        summing(name, (1_000, 20_000)),
        private=summing(name, (30_000,)) if private else None,
        strict=summing(name, (3,)),
        references=references,
        difficulty="easy",
        measured_on="another machine",
        measured_alike=True,
    )


def answer(code: str) -> str:
    """What a model answers, in the paper's format."""
    return f"<thinking>\nless work\n</thinking>\n<solution>\n```python\n{code}```\n</solution>"

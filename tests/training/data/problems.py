"""A problem of which every solution was measured but one."""

from __future__ import annotations

from afterburner.agent import Problem
from afterburner.evals.problems import BenchmarkProblem, Figures, Reference
from afterburner.sandbox import TestCase

TEXT = "Read a number n and print the sum of all numbers from zero up to n, in decimal, on a line of its own. "


def problem(name: str = "sums", *, solutions: int = 12, text: str = TEXT) -> BenchmarkProblem:
    """The k-th solution takes k tenths of a second; the more time, the less memory. The last was not measured."""
    cases = (TestCase(b"3\n", b"6\n"),)
    references = [
        Reference(
            f"# {name}, solution {k}\nn = int(input())\nprint(sum(range(n + 1)) + {k} - {k})\n",
            Figures(0.1 * k, 0.1 * k, 20_000.0 / k, 500.0 * k),
        )
        for k in range(1, solutions + 1)
    ]
    unmeasured = Reference(f"# {name}\nprint(6)\n")
    return BenchmarkProblem(
        "own", name, Problem(name, f"{text} {name}", cases), references=(*references, unmeasured), difficulty="easy"
    )

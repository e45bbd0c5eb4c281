"""Two problems with their benchmark and their prompts, and answers of a model to them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from afterburner.agent import Problem
from afterburner.agent.types import Objective
from afterburner.evals.datasets.built import ABOUT, COLUMNS, FORMAT, PROBLEMS
from afterburner.evals.problems import BenchmarkProblem, Figures, Reference
from afterburner.evals.tables import file_key, write_file
from afterburner.sandbox import Limits, TestCase
from afterburner.training.data.building import build_data
from afterburner.training.data.contamination import HeldOut
from afterburner.training.data.settings import DataSettings, Recipe

if TYPE_CHECKING:
    from pathlib import Path

N = 4_000_000
FAST = "n = int(input())\nprint(n * (n + 1) // 2)\n"
SLOW = "n = int(input())\ntotal = 0\nfor i in range(n + 1):\n    total += i\nprint(total)\n"
# Three times the work of the original, which no busy machine makes look faster.
SLOWER = "n = int(input())\nfor _ in range(3):\n    total = 0\n    for i in range(n + 1):\n        total += i\n"
SLOWER += "print(total)\n"
WRONG = "input()\nprint(0)\n"
CHEAT = "import sys\nframe = sys._getframe()\nn = int(input())\nprint(n * (n + 1) // 2)\n"
KNOWS_ONE = f"n = int(input())\nprint({N * (N + 1) // 2})\n"  # the measured case, and not the hidden one


def strict(code: str) -> str:
    return f"<thinking>\nless work\n</thinking>\n<solution>\n```python\n{code}```\n</solution>"


def problem(name: str, n: int = N) -> Problem:
    case = TestCase(f"{n}\n".encode(), f"{n * (n + 1) // 2}\n".encode())
    limits = Limits(wall_time_s=10.0, cpu_time_s=10.0)
    return Problem(name, f"Print the sum of the numbers from 0 to n. This is {name}.", (case,), limits=limits)


def write_benchmark(folder: Path, names: tuple[str, ...] = ("sum", "more")) -> list[BenchmarkProblem]:
    """A benchmark as `eval build` leaves it, with a hidden test for each problem."""
    folder.mkdir()
    (folder / ABOUT).write_text(json.dumps({"format": FORMAT, "name": "own"}), "utf-8")
    found = []
    for name in names:
        code = Reference(f"# {name}\n{SLOW}", Figures(0.05, 0.05, 9_000.0, 400.0))
        hidden = problem(name, 7)
        found.append(BenchmarkProblem("own", name, problem(name), private=hidden, references=(code,)))
        row = {"id": name, "split": "train", "json": found[-1].to_json()}
        write_file(folder / PROBLEMS / f"{file_key(name)}.parquet", COLUMNS[PROBLEMS], [row])
    return found


def write_prompts(tmp_path: Path, names: tuple[str, ...] = ("sum", "more")) -> Path:
    """A `grpo` data set with a prompt for each problem, built from a benchmark beside it."""
    benchmark, data = tmp_path / "benchmark", tmp_path / "grpo"
    problems = write_benchmark(benchmark, names)
    settings = DataSettings(Recipe.GRPO, (Objective.TIME,))
    build_data(problems, settings, HeldOut(), data, source=str(benchmark))
    return data

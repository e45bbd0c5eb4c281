"""The judge of a benchmark's problems."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from afterburner.evals.datasets.built import PROBLEMS, read_built
from afterburner.evals.problems import BenchmarkProblem
from afterburner.training.reward.judge import RewardJudge

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox import Sandbox


def judge_of_benchmark(benchmark: Path, sandbox: Sandbox, split: str = "") -> RewardJudge:
    """Judge by the tests of a benchmark that `eval build` made; its private tests are hidden ones.

    Args:
        benchmark: its folder.
        sandbox: where every code runs.
        split: whose problems are judged; empty: all.

    Raises:
        DatasetError: there is no benchmark.
    """
    problems = [each for each in read_built(benchmark, split) if isinstance(each, BenchmarkProblem)]
    return RewardJudge(
        sandbox,
        {each.id: each.problem for each in problems},
        {each.id: each.private for each in problems if each.private is not None},
        slots=sandbox.slots(),
    )


def benchmark_sha256(benchmark: Path) -> str:
    """The hash of all problems of a benchmark, with their tests and references: what answers are judged by."""
    whole = hashlib.sha256()
    for path in sorted((benchmark / PROBLEMS).glob("*.parquet")):
        with path.open("rb") as file:
            whole.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()

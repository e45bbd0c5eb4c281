"""Offline evaluation: problems an hour in the chain of `make eval-smoke`, its benchmark made beforehand."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from typing import TYPE_CHECKING

from afterburner.evals.datasets.built import read_built
from afterburner.evals.problems import BenchmarkProblem
from scripts.eval_chain import DATA, code_of
from scripts.floor_bench.floor import FloorFailedError, bare_s, environment, finish
from scripts.latency_bench.versions import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scripts.latency_bench.versions import Program

EVALUATED = "problems an hour in eval-smoke"
_PROBLEMS = 2
_EVALUATIONS = ("rules", "replayed")
_LIMIT_S = 1800.0


class Evaluation:
    """The floor, with the benchmark that all versions are given.

    Args:
        kept: an empty folder for it.
    """

    def __init__(self, kept: Path) -> None:
        self._kept = kept

    def measure(self, program: Program, place: Path) -> dict[str, float]:
        """Problems an hour: each is evaluated with the rules, and with four answers that people wrote.

        Raises:
            FloorFailedError: the data is missing, or the chain failed.
        """
        shutil.copytree(self._benchmark() / "benchmark", place / "out" / "benchmark")
        printed = _chain(place / "out", environment(program, place, place / "home"))
        took = {name: int(seconds) for name, seconds in re.findall(r"^(\w+): (\d+) s$", printed, re.MULTILINE)}
        return {EVALUATED: _an_hour(len(_EVALUATIONS) * _PROBLEMS, sum(took[each] for each in _EVALUATIONS))}

    def bare(self, place: Path) -> float:
        """Problems an hour if each answer and each reference ran once on each test, as a bare process, and no more.

        Raises:
            FloorFailedError: the data is missing, or the chain failed.
        """
        return _an_hour(_PROBLEMS, bare_s(_programs(self._benchmark()), place))

    def _benchmark(self) -> Path:
        if not DATA.exists():
            raise FloorFailedError(f"{DATA} is not there")
        if not (self._kept / "answers.jsonl").exists():
            _chain(self._kept, os.environ, "--only-build")
        return self._kept


def _chain(out: Path, variables: dict[str, str] | os._Environ[str], *options: str) -> str:
    words = ("-m", "scripts.eval_chain", "--out", str(out), "--problems", str(_PROBLEMS), *options)
    return finish((sys.executable, *words), ROOT, variables, _LIMIT_S)


def _programs(out: Path) -> Iterator[tuple[str, str]]:
    answers = [json.loads(line) for line in (out / "answers.jsonl").read_text("utf-8").splitlines()]
    for problem in read_built(out / "benchmark"):
        if isinstance(problem, BenchmarkProblem):
            own = [code_of(each["content"]) for each in answers if each["file"] == problem.problem.name]
            for code in [*own, *(each.code for each in problem.references)]:
                for case in problem.problem.test_cases:
                    yield code, case.stdin.decode("utf-8")


def _an_hour(problems: int, seconds: float) -> float:
    return 3600 * problems / max(seconds, 1e-9)

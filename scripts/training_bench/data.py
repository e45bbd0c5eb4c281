"""Data sets of real prompts whose programs are padded to a length in tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from afterburner.agent import Problem
from afterburner.agent.types import Objective
from afterburner.evals.datasets.built import ABOUT, COLUMNS, FORMAT, PROBLEMS
from afterburner.evals.problems import BenchmarkProblem, Figures
from afterburner.evals.tables import write_file
from afterburner.sandbox import TestCase
from afterburner.training.config.schema import Method
from afterburner.training.data.prompts import answer_with, prompt_for
from afterburner.training.data.writing import write_data

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.training.config.schema import TrainConfig

_PROBLEM = Problem("sums", "Print the sum up to n.", (TestCase(b"3\n", b"6\n"),))
_FIGURES = Figures(0.1, 0.1, 9000.0, 900.0)
_SHARES = (1.0, 0.9, 0.97, 0.8)  # of the longest: sequences of a batch differ, and are padded
_LINE = "total = 0\n"


def write_rows(config: TrainConfig, folder: Path, length: Callable[[list[dict[str, str]]], int]) -> None:
    """Write a data set for a configuration, whose longest rows are as long as it allows.

    Args:
        config: of the run.
        folder: of the data set; for GRPO, its benchmark lies beside it.
        length: the tokens of messages.
    """
    is_grpo = config.method is Method.GRPO
    most = config.grpo.prompt_tokens if is_grpo else config.max_tokens
    count = config.grpo.prompts if is_grpo else config.batch.size
    shares = [_SHARES[number % len(_SHARES)] for number in range((config.steps or 1) * count)]
    rows = {share: _longest(config.method, int(share * most), length) for share in set(shares)}
    recipe = config.method.value
    benchmark = folder.with_name("benchmark")
    if is_grpo:
        _write_benchmark(benchmark)
    write_data([rows[share] for share in shares], {"recipe": recipe, "source": str(benchmark)}, "", folder)


def some_texts() -> list[str]:
    """What a tokenizer has to know for prompts and answers of usual lengths."""
    row = _row(Method.SFT, 20)
    return [message["content"] for part in ("prompt", "completion") for message in row[part]]


def _longest(method: Method, most: int, length: Callable[[list[dict[str, str]]], int]) -> dict[str, Any]:
    """The row with the longest programs that are within so many tokens."""

    def fits(lines: int) -> bool:
        row = _row(method, lines)
        return length(row["prompt"] + row.get("completion", row.get("chosen", []))) <= most

    low, high = 1, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return _row(method, low)


def _row(method: Method, lines: int) -> dict[str, Any]:
    code = _LINE * lines + "print(sum(range(int(input()) + 1)))\n"
    prompt = prompt_for(_PROBLEM, Objective.TIME, code, _FIGURES)
    answer = [{"role": "assistant", "content": answer_with(code, Objective.TIME, "python")}]
    row = {"problem_id": _PROBLEM.name, "objective": "time", "original": code, "prompt": prompt}
    match method:
        case Method.DPO:
            return {**row, "chosen": answer, "rejected": answer}
        case Method.GRPO:
            return row
        case _:
            return {**row, "completion": answer}


def _write_benchmark(folder: Path) -> None:
    (folder / PROBLEMS).mkdir(parents=True)
    problem = BenchmarkProblem("own", _PROBLEM.name, _PROBLEM)
    row = {"id": problem.id, "split": "train", "json": problem.to_json()}
    write_file(folder / PROBLEMS / "0.parquet", COLUMNS[PROBLEMS], [row])
    (folder / ABOUT).write_text(f'{{"format": {FORMAT}, "name": "own", "source": ""}}')

"""A small benchmark of our own, with measured references, and a model that answers from a recording."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from running_problems import answer, benchmark_problem

from afterburner.evals.datasets.built import ABOUT, COLUMNS, FORMAT, PROBLEMS
from afterburner.evals.tables import file_key, write_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def recording(tmp_path: Path) -> Callable[..., str]:
    """Write a recording in which each problem gets these codes, one in each iteration; return the model's name."""

    def write(codes: dict[str, list[str]]) -> str:
        path = tmp_path / "answers.jsonl"
        lines = [
            {"asked": "a model", "file": name, "function": None, "iteration": number, "content": answer(code)}
            for name, given in codes.items()
            for number, code in enumerate(given, start=1)
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return f"replay:{path}"

    return write


@pytest.fixture
def benchmark(tmp_path: Path) -> Callable[..., Path]:
    """Write problems as eval build stores them; return the folder."""

    def write(*names: str, **told: Any) -> Path:
        folder = tmp_path / "benchmark"
        folder.mkdir()
        (folder / ABOUT).write_text(json.dumps({"format": FORMAT, "name": "own"}), "utf-8")
        for name in names:
            row = {"id": name, "split": "test", "json": benchmark_problem(name, **told).to_json()}
            write_file(folder / PROBLEMS / f"{file_key(name)}.parquet", COLUMNS[PROBLEMS], [row])
        return folder

    return write

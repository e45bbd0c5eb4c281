"""A benchmark that `eval build` made: a folder of Parquet tables, a file for each problem, and `benchmark.json`.

    benchmark.json            format, name, settings of the recipe, the machine, counts, where it comes from
    problems/KEY.parquet      one row: the problem as JSON, with what one may want to select by
    references/KEY.parquet    every measurement of its references
    left_out/KEY.parquet      one row: a raw problem that did not become one, and why

The file in `problems` or `left_out` is written last: where it is, the problem is done.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from afterburner.agent.wording import count
from afterburner.evals.errors import DatasetError, RecordError
from afterburner.evals.problems import BenchmarkProblem, Rejected
from afterburner.sandbox import AfterburnerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from afterburner.evals.problems import Loaded

FORMAT = 1
ABOUT = "benchmark.json"
SPLITS = ("train", "test")
PROBLEMS, REFERENCES, LEFT_OUT = "problems", "references", "left_out"
COLUMNS: Mapping[str, Mapping[str, str]] = {
    PROBLEMS: {
        "id": "string",
        "split": "string",  # "train", "test"
        "json": "string",  # BenchmarkProblem.to_json()
        "difficulty": "string",
        "tags": "list<string>",
        "public_cases": "int64",
        "private_cases": "int64",
        "references": "int64",
        "elapsed_s": "float64",
    },
    REFERENCES: {
        "id": "string",
        "code_id": "string",
        "tests": "string",  # "public", "private"
        "repeat": "int64",
        "turn": "int64",
        "verdict": "string",
        "detail": "string",
        "wall_time_s": "float64",
        "cpu_time_s": "float64",
        "peak_memory_kib": "float64",
        "memory_integral_kib_s": "float64",
    },
    LEFT_OUT: {"id": "string", "reason": "string", "elapsed_s": "float64"},
}


def is_built(folder: Path) -> bool:
    """Whether a folder holds a benchmark that `eval build` made, or has begun."""
    return (folder / ABOUT).is_file()


def read_about(folder: Path) -> dict[str, Any]:
    """Read what `benchmark.json` says.

    Raises:
        DatasetError: it cannot be read, or another version of this program has written it.
    """
    try:
        about = json.loads((folder / ABOUT).read_text("utf-8"))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise DatasetError(f"{folder} holds no benchmark: {why}. Give a folder that eval build made.") from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise DatasetError(f"{folder} is of another version of this program. Read it with that one.")
    return about


def done_in(path: Path) -> dict[str, int]:
    """How many problems of a benchmark's folder are done: kept, and left out."""
    return {table: len(list((path / table).glob("*.parquet"))) for table in (PROBLEMS, LEFT_OUT)}


def splits_in(folder: Path) -> str:
    """How many problems of each split a benchmark has, in words: `12 of train, 4 of test`."""
    return ", ".join(f"{count_built(folder, split)} of {split}" for split in SPLITS)


def is_unfinished(folder: Path) -> bool:
    """Whether the last `eval build` of a benchmark did not come to its end, which is when it counts the problems.

    Raises:
        DatasetError: there is no benchmark.
    """
    counts = read_about(folder).get("counts")
    return counts is not None and counts != done_in(folder)


def missing_note(folder: Path, split: str) -> str:
    """A caution where a benchmark has only some of its problems yet, with what to do; else empty.

    Raises:
        DatasetError: it cannot be read.
    """
    if not is_unfinished(folder):
        return ""
    ready = count(count_built(folder, split), "problem")
    return (
        f"eval build was stopped before {folder} was finished, or is still running. It has {ready} so far. To have "
        "all, finish it first: run the same eval build again."
    )


def read_built(folder: Path, split: str = "") -> Iterator[Loaded]:
    """Read the problems of a benchmark, one after the other, in the order of their files.

    Args:
        folder: of the benchmark; one that is not finished yet has the problems that are done.
        split: `train` or `test`; empty: both.

    Raises:
        DatasetError: there is no benchmark.
    """
    read_about(folder)
    for path in sorted((folder / PROBLEMS).glob("*.parquet")):
        try:
            row = _row(path)
            if not split or row["split"] == split:
                yield BenchmarkProblem.from_json(row["json"])
        except RecordError as error:
            yield Rejected(path.name, error.field, error.reason)
        except AfterburnerError as error:
            yield Rejected(path.name, "json", str(error))


def count_built(folder: Path, split: str = "") -> int:
    """How many problems `read_built` gives, broken ones among them."""
    paths = list((folder / PROBLEMS).glob("*.parquet"))
    return len(paths) if not split else sum(_is_of(path, split) for path in paths)


def _is_of(path: Path, split: str) -> bool:
    try:
        return bool(_row(path)["split"] == split)
    except RecordError:
        return True


def _row(path: Path) -> dict[str, Any]:
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.parquet as pq  # noqa: PLC0415 - heavy

    try:
        rows = pq.ParquetFile(path).read(columns=["split", "json"], use_threads=False).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise RecordError("", f"the file cannot be read: {error}") from error
    if len(rows) != 1 or not all(isinstance(value, str) for value in rows[0].values()):
        raise RecordError("json", "this is not the row of one problem")
    return dict(rows[0])

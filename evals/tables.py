"""The tables that an evaluation stores as Parquet: their columns, with units in the names.

Each table is a folder with one file for each problem, written at once when the problem is done, so that an evaluation
that is killed loses the problem it was at and nothing else. DuckDB reads a table by
`SELECT * FROM read_parquet('RUN/best/*.parquet')`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from typing import TYPE_CHECKING, Any

from afterburner.evals.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

Row = dict[str, Any]
ABOUT = "run.json"  # what was asked, and the machine
COMPLETE = "complete"  # a file in the folder of a run, once every problem is stored
REJECTED = "rejected.json"  # likewise: the records that cannot be used, a line of text each
_FIGURES = {
    "wall_time_s": "float64",
    "cpu_time_s": "float64",
    "peak_memory_kib": "float64",
    "memory_integral_kib_s": "float64",
}
TABLES: Mapping[str, Mapping[str, str]] = {
    # What was evaluated. `reason` says why a problem was not; it is empty for one that was.
    "problems": {
        "problem_id": "string",
        "dataset": "string",
        "difficulty": "string",
        "tags": "list<string>",
        "language": "string",
        "description": "string",
        "public_cases": "int64",
        "private_cases": "int64",
        "case_names": "list<string>",  # of the public cases; empty texts: they have none
        "private_case_names": "list<string>",
        "measured_references": "int64",
        "measured_on": "string",
        "drift": "float64",  # the median of the anchors' wall time now to what is stored, public tests; NaN: no anchors
        "drift_memory": "float64",  # likewise of their peak memory
        "drift_integral": "float64",
        "private_drift": "float64",  # the same on the private tests
        "private_drift_memory": "float64",
        "private_drift_integral": "float64",
        "flags": "list<string>",  # what a reader has to know, such as a drift that stayed
        "failing_references": "string",  # all known solutions that were run fail: the first failure; empty: one passes
        "notes": "list<string>",
        "elapsed_s": "float64",
        "reason": "string",
    },
    # Known solutions with the figures they were stored with. An anchor was measured again beside the new code.
    "references": {
        "problem_id": "string",
        "code_id": "string",
        "tests": "string",  # "public", "private"
        "is_anchor": "bool",
        **_FIGURES,
    },
    # Every answer of a model, with its prompt and the loop's single measurement of it.
    "candidates": {
        "problem_id": "string",
        "generation": "int64",
        "iteration": "int64",  # 0: the model wrote the first code
        "candidate": "string",
        "proposer": "string",
        "code_id": "string",  # empty: the answer held no code
        "reasoning": "string",
        "prompt": "string",  # JSON of the messages; empty: not known, as for rules
        "answer": "string",
        "finish_reason": "string",
        "prompt_tokens": "int64",
        "completion_tokens": "int64",
        "cost_usd": "float64",
        "cached": "bool",
        "verdict": "string",
        "decision": "string",
        "reason": "string",
        **_FIGURES,
    },
    # C* after each iteration, 0 to N. `passed` is the loop's own verdict, on the public cases.
    "best": {
        "problem_id": "string",
        "generation": "int64",
        "iteration": "int64",
        "candidate": "string",  # "original": the code to begin with; empty: there is no code yet
        "code_id": "string",
        "passed": "bool",
    },
    # Functions of packages alone: what the product would say of each generation; no gain where nothing is offered.
    "gains": {
        "problem_id": "string",
        "generation": "int64",
        "decision": "string",  # "improved", "conditional", "no_improvement"
        "summary": "string",
        "patch": "string",
        "ratio": "float64",  # of the original's figure to the offer's
        "low": "float64",
        "high": "float64",
    },
    "codes": {"problem_id": "string", "code_id": "string", "code": "string"},
    # The repeated measurements that scores are made of, anchors among them, in the order in which they were taken.
    "measurements": {
        "problem_id": "string",
        "code_id": "string",
        "tests": "string",  # "public", "private"
        "repeat": "int64",
        "turn": "int64",
        "verdict": "string",
        "detail": "string",
        **_FIGURES,
        "case_wall_times_s": "list<float64>",  # of the cases, by the names in `problems`
    },
    # What the strict rule says of each C*; once for each code. The benchmark's own verdicts are in `measurements`.
    "verdicts": {
        "problem_id": "string",
        "code_id": "string",
        "rule": "string",  # "strict"
        "verdict": "string",
        "detail": "string",
    },
}
_END = b"PAR1"  # of every Parquet file
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def file_key(problem_id: str) -> str:
    """A file name for a problem, whatever it is called: readable, and never the same for two."""
    readable = _UNSAFE.sub("-", problem_id)[:60].strip(".-") or "problem"
    return f"{readable}-{hashlib.sha256(problem_id.encode()).hexdigest()[:16]}"


def schema(columns: Mapping[str, str]) -> pa.Schema:
    """The columns of a table as pyarrow knows them."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    kinds = {
        "string": pa.string(),
        "int64": pa.int64(),
        "float64": pa.float64(),
        "bool": pa.bool_(),
        "list<string>": pa.list_(pa.string()),
        "list<float64>": pa.list_(pa.float64()),
    }
    return pa.schema([(name, kinds[kind]) for name, kind in columns.items()])


def write_rows(folder: Path, table: str, key: str, rows: Sequence[Row]) -> None:
    """Write one file of a table, all of it or nothing; one that is there is replaced.

    Raises:
        OSError: the folder cannot be written.
    """
    write_file(folder / table / f"{key}.parquet", TABLES[table], rows)


def write_file(path: Path, columns: Mapping[str, str], rows: Sequence[Row]) -> None:
    """Write rows to a file and its folder, all of it or nothing. See `write_rows`."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.parquet as pq  # noqa: PLC0415 - heavy

    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    whole = [{name: _storable(value) for name, value in row.items()} for row in rows]
    pq.write_table(pa.Table.from_pylist(whole, schema=schema(columns)), unfinished, compression="zstd")
    unfinished.replace(path)


def _storable(value: Any) -> Any:
    """The same, with `?` for half characters (lone surrogates), which a model may write and no file can hold."""
    if isinstance(value, list):
        return [_storable(each) for each in value]
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def read_rows(folder: Path, table: str, key: str = "*", columns: Mapping[str, str] | None = None) -> list[Row]:
    """Read the rows of a table, of one problem or of all, in the order of their files.

    Args:
        folder: of the run, or of another set of tables.
        table: its name.
        key: of one problem; `*`: of all.
        columns: of a table that no run has.

    Raises:
        EvaluationError: a file cannot be read.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.parquet as pq  # noqa: PLC0415 - heavy

    found: list[Row] = []
    for path in sorted((folder / table).glob(f"{key}.parquet")):
        try:
            # Without threads: the files are small, and a thread that begins as the process ends would abort it.
            wanted = schema(columns or TABLES[table])
            found += pq.read_table(path, schema=wanted, use_threads=False, pre_buffer=False).to_pylist()
        except (OSError, pa.ArrowException) as error:
            raise EvaluationError(
                f"{path} is damaged: {error}. Remove it, and go on with the command that wrote it."
            ) from error
    return found


def is_whole(folder: Path, table: str, key: str) -> bool:
    """Whether the file of a problem is there and was not cut short, as by a power failure."""
    try:
        with (folder / table / f"{key}.parquet").open("rb") as file:
            file.seek(-len(_END), os.SEEK_END)
            return file.read() == _END
    except OSError:
        return False


def read_about(folder: Path) -> dict[str, Any]:
    """Read `run.json`: at least the name, the settings and the machine of a run.

    Raises:
        EvaluationError: there is none, or it is damaged.
    """
    try:
        about = json.loads((folder / ABOUT).read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        if not folder.exists():
            raise EvaluationError(
                f"There is no folder {folder}. Give the folder that eval run wrote, or begin an evaluation there: "
                f"afterburner-agent eval run --dataset NAME --model NAME --out {shlex.quote(str(folder))}"
            ) from None
        raise EvaluationError(
            f"{folder} is no folder of an evaluation: there is no {ABOUT} in it. Give the folder that eval run wrote."
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise EvaluationError(
            f"{folder} holds no evaluation that can be read: {error}. Give the folder that eval run wrote."
        ) from error
    kinds = {"name": str, "settings": dict, "machine": dict}
    if not isinstance(about, dict) or not all(isinstance(about.get(name), kind) for name, kind in kinds.items()):
        raise EvaluationError(f"{folder / ABOUT} does not tell of an evaluation. Give the folder that eval run wrote.")
    return about

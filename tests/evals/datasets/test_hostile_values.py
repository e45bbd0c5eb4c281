"""Values of records that Python cannot hold, tell or write: one record is lost, and never the dataset."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from afterburner.evals.datasets.asking import rows_of
from afterburner.evals.datasets.records import Record
from afterburner.evals.datasets.registry import load_problems
from afterburner.evals.errors import RecordError
from afterburner.evals.problems import BenchmarkProblem, Rejected

if TYPE_CHECKING:
    from pathlib import Path

LONG = 10**5000  # more digits than Python writes
DIGITS = f"1{'0' * 5000}"
CASES = [{"stdin": "1\n", "expected_stdout": "1\n"}]


@pytest.mark.parametrize("getter", ["number", "measured", "identity"])
@pytest.mark.parametrize("sign", [1, -1])
def test_an_integer_beyond_all_bounds_is_refused_by_its_field(getter: str, sign: int) -> None:
    """Neither an overflow nor Python's limit of digits ends the reading; the record just has no name."""
    record = Record({"id": sign * LONG, "title": "a title"})
    with pytest.raises(RecordError, match=r"^id: this (number|integer) is too large"):
        getattr(record, getter)("id")
    assert record.name == "a title"


@pytest.mark.parametrize(
    ("more", "field"),
    [({"id": "LONG"}, "id"), ({"references": [{"code": "pass", "time": "LONG"}]}, "references[0].time")],
)
def test_the_records_behind_one_with_such_an_integer_are_read(tmp_path: Path, more: dict[str, Any], field: str) -> None:
    """One is told, the next one is a problem."""
    known = {"description": "Print the number.", "cases": CASES}
    lines = [json.dumps({"name": name, **known, **each}) for name, each in (("first", more), ("second", {}))]
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(lines).replace('"LONG"', DIGITS), "utf-8")

    rejected, problem = load_problems(str(path))
    assert isinstance(rejected, Rejected)
    assert (rejected.field, "record 1" in rejected.place) == (field, True)
    assert isinstance(problem, BenchmarkProblem)
    assert problem.id == "second"


def test_parquet_values_that_are_no_json_cost_their_row_alone(tmp_path: Path) -> None:
    """A date that Python lacks, bytes and a time stamp are told; the row without them is a problem."""
    path = tmp_path / "own.parquet"
    when = pa.array([2**60, int(datetime.now(UTC).timestamp()), None], pa.timestamp("ms"))
    columns = {"name": ["beyond", "dated", "plain"], "description": ["d"] * 3, "cases": [CASES] * 3, "generator": when}
    pq.write_table(pa.table({**columns, "id": when}), path)

    beyond, dated, plain = load_problems(str(path))
    assert isinstance(beyond, Rejected)
    assert "record 1" in beyond.line
    assert isinstance(dated, Rejected)
    assert dated.field == "id"
    assert isinstance(plain, BenchmarkProblem)


def test_a_program_that_prints_half_characters_makes_no_tests() -> None:
    """They could be written to no file."""
    assert rows_of([["a", "é"]], 1, 2, "tests") == [["a", "é"]]
    with pytest.raises(RecordError, match="something else than tests"):
        rows_of([["a", "\ud800"]], 1, 2, "tests")

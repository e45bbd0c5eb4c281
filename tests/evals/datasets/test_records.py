"""Records: read from every kind of file one at a time, and refused by the name of a field."""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from afterburner.evals.datasets.records import Record
from afterburner.evals.datasets.sources import read_hub, read_records
from afterburner.evals.errors import DatasetError, RecordError
from afterburner.evals.problems import Rejected

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS: list[dict[str, Any]] = [{"id": 1, "text": "é\n" * 200_000}, {"id": 2, "text": None}, {"id": 3, "text": "c"}]


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def write_csv(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["id", "text"])
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def texts(source: Path, **options: str) -> list[object]:
    return [each.values["text"] if isinstance(each, Record) else each.line for each in read_records(source, **options)]


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.jsonl", write_jsonl),
        ("a.JSONL.gz", write_jsonl),
        ("a.parquet", write_parquet),
        ("a.csv", write_csv),
        ("a.json", lambda path, rows: path.write_text(json.dumps(rows))),
        ("b.json", lambda path, rows: path.write_text(json.dumps({row["id"]: row for row in rows}))),
    ],
)
def test_every_kind_of_file_gives_the_same_records(
    tmp_path: Path, name: str, write: Callable[[Path, list[dict[str, Any]]], object]
) -> None:
    write(tmp_path / name, ROWS)
    found = list(read_records(tmp_path / name))
    assert [each.place for each in found if isinstance(each, Record)] == [f"{name}, record {n}" for n in (1, 2, 3)]
    assert [each.values["text"] or None for each in found if isinstance(each, Record)] == [r["text"] for r in ROWS]
    assert found[0].text("text") == ROWS[0]["text"]  # type: ignore[union-attr]


def test_a_broken_record_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    lines = [b'{"text": "a"}', b'{"text": ', b"", b"[1]", b'{"text": "\xff"}', b"[" * 200_000, b'{"text": "b"}']
    (tmp_path / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + b"\n".join(lines))
    found = texts(tmp_path / "a.jsonl")
    assert (found[0], found[-1], len(found)) == ("a", "b", 6)
    assert "a.jsonl, record 2: this is no JSON: Expecting value" in str(found[1])
    assert str(found[2]) == "a.jsonl, record 3: this is no object with fields"
    assert "record 4: this is not UTF-8" in str(found[3])
    assert "too deep" in str(found[4])


def test_an_object_over_several_lines_is_told_once_that_each_has_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "a", "more": 1}, indent=1))
    first, *others = texts(tmp_path / "a.jsonl")
    assert str(first).startswith("a.jsonl, record 1: this is no JSON: ")
    assert str(first).endswith("; a .jsonl file holds one object a line, a .json file a list of objects")
    assert len(others) == 3
    assert not any("one object a line" in str(each) for each in others)


def test_a_slip_in_one_line_is_not_taken_for_an_object_over_several(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n{"text": b}\n{"text": "c"}\n')
    _, slip, _ = texts(tmp_path / "a.jsonl")
    assert "a.jsonl, record 2: this is no JSON: Expecting value" in str(slip)
    assert "one object a line" not in str(slip)


def test_a_broken_line_is_named_by_its_number_in_the_file_and_by_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n\n\n{"text": "b\n{"text": "c"}\n')
    _, cut, _ = texts(tmp_path / "a.jsonl")
    assert str(cut) == "a.jsonl, record 2: this is no JSON: Unterminated string starting at: line 4 column 10"


def test_a_single_object_is_a_record(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"text": "a", "more": {"text": "b"}}, indent=1))
    assert texts(tmp_path / "a.json") == ["a"]


def test_a_csv_record_with_too_many_fields_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text\n1,a,b\n2,c\n3\n")
    found = list(read_records(tmp_path / "a.csv"))
    assert isinstance(found[0], Rejected)
    assert "more fields" in found[0].reason
    assert isinstance(found[2], Record)
    with pytest.raises(RecordError, match="text: it is null"):
        found[2].text("text")


def test_records_are_read_as_they_are_asked_for(tmp_path: Path) -> None:
    """The end of the file is broken, and not looked at before the records in front of it are given."""
    packed = gzip.compress(b"".join(b'{"text": "%d"}\n' % number for number in range(50_000)))
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    reading = read_records(tmp_path / "a.jsonl.gz")
    assert next(reading).place == "a.jsonl.gz, record 1"
    with pytest.raises(DatasetError, match=r"a\.jsonl\.gz cannot be read: Compressed file ended"):
        list(reading)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl.gz", b"no gzip", "cannot be read: Not a gzipped file"),
        ("a.parquet", b"no parquet", "is no Parquet file"),
        ("a.json", b"{", "is no JSON"),
        ("a.json", b"3", "neither a list of records nor an object"),
        ("a.csv", b"id,text\n1,\xff\n", "cannot be read"),
        ("a.txt", b"", "none of the files that records are read from: .jsonl, .json and .csv, each also as .gz"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_clear_error(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DatasetError, match=message) as caught:
        list(read_records(tmp_path / name))
    assert name in str(caught.value)


def test_a_record_that_grows_when_it_is_unpacked_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afterburner.evals.datasets.files.LONGEST", 1000)
    for name in ("a.jsonl.gz", "a.json.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b"0" * 10_000_000))
        with pytest.raises(DatasetError, match="longer than 1000 bytes"):
            list(read_records(tmp_path / name))


def test_a_folder_is_read_by_split_and_configuration(tmp_path: Path) -> None:
    write_parquet(tmp_path / "data" / "test-00000-of-00002.parquet", [{"text": "a"}])
    write_parquet(tmp_path / "data" / "test-00001-of-00002.parquet", [{"text": "b"}])
    write_jsonl(tmp_path / "train.jsonl", [{"text": "c"}])
    write_jsonl(tmp_path / "cpp" / "train-00000-of-00001.jsonl", [{"text": "d"}])
    assert texts(tmp_path, split="test") == ["a", "b"]
    assert texts(tmp_path, split="train", configuration="cpp") == ["d"]
    with pytest.raises(DatasetError, match=r"no test file of rust, such as rust/test.jsonl, or .* It has cpp/train-0"):
        list(read_records(tmp_path, "test", "rust"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(DatasetError, match="It has no such file at all"):
        list(read_records(tmp_path / "empty"))


def test_named_files_are_all_needed(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "test.jsonl", [{"text": "a"}])
    with pytest.raises(DatasetError, match=r"lacks test2.jsonl"):
        list(read_records(tmp_path, files=("test.jsonl", "test2.jsonl")))
    write_jsonl(tmp_path / "test2.jsonl", [{"text": "b"}])
    found = list(read_records(tmp_path, files=("test.jsonl", "test2.jsonl")))
    assert [each.place for each in found] == ["test.jsonl, record 1", "test2.jsonl, record 1"]


def test_a_path_that_is_not_there_is_no_name_on_the_hub(tmp_path: Path) -> None:
    for source in (tmp_path / "none", str(tmp_path / "none.jsonl"), "none.jsonl", "folder/none.jsonl", "a/b/c"):
        with pytest.raises(DatasetError, match="There is no file or folder"):
            list(read_records(source))


_OFFLINE = """
import sys
from afterburner.evals.datasets.sources import read_hub, read_records
from afterburner.evals.errors import DatasetError
print([(each.values["text"], each.place.rpartition(", ")[2]) for each in read_hub(sys.argv[1], "test", sys.argv[2])])
for source, split in ((sys.argv[1], "none"), ("nobody/has-this", "test")):
    try:
        list(read_hub(source, split))
    except DatasetError as error:
        print(error)
"""


@pytest.mark.slow
def test_the_hub_is_read_by_the_datasets_package(tmp_path: Path) -> None:
    """In the layout of a repository of the hub, and without a network."""
    pytest.importorskip("datasets")
    write_parquet(tmp_path / "hub" / "cpp" / "test-00000-of-00001.parquet", [{"text": "a"}, {"text": "b"}])
    header = "---\nconfigs:\n- config_name: cpp\n  data_files:\n  - split: test\n    path: cpp/test-*\n---\n"
    (tmp_path / "hub" / "README.md").write_text(header)
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", _OFFLINE, str(tmp_path / "hub"), "cpp"],
        env=offline,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    read, no_split, unknown = done.stdout.splitlines()
    assert read == "[('a', 'record 1'), ('b', 'record 2')]"
    assert no_split.startswith("The split none of ")
    assert unknown.startswith("The split test of nobody/has-this cannot be loaded from the hub: ")
    assert "give a local copy: --from FILE-OR-FOLDER" in unknown


def test_without_the_datasets_package_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(DatasetError, match=r"-m pip install .*\[hub\]'"):
        list(read_hub("owner/name", "test"))


RECORD = Record(
    {
        "text": "a",
        "empty": " ",
        "null": None,
        "nan": float("nan"),
        "inf": float("inf"),
        "number": 3,
        "true": True,
        "list": ["a", 1],
        "object": {"inner": "x"},
        "objects": [{"code": "x"}, {"code": 3}],
        "json": '[{"a": 1}, {"a": null}]',
        "broken": "[",
        "deep": "[" * 200_000,
        "half": "\ud800",
        "long": "9" * 5000,
    },
    "a.jsonl, record 1",
)


@pytest.mark.parametrize(
    ("get", "message"),
    [
        (lambda: RECORD.text("none"), "^none: it is missing$"),
        (lambda: RECORD.text("null"), "^null: it is null$"),
        (lambda: RECORD.text("number"), "^number: this has to be a text, and it is a number$"),
        (lambda: RECORD.text("nan"), r"^nan: this has to be a text, and it is not a number \(NaN\)$"),
        (lambda: RECORD.text("half"), "^half: this holds half a character"),
        (lambda: RECORD.filled("empty"), "^empty: it is empty$"),
        (lambda: RECORD.number("nan"), "^nan: this has to be a finite number"),
        (lambda: RECORD.number("true"), "^true: this has to be a number, and it is true$"),
        (lambda: RECORD.flag("number"), "^number: this has to be true or false"),
        (lambda: RECORD.texts("list"), r"^list\[1\]: this has to be a text, and it is a number$"),
        (lambda: RECORD.part("object").text("other"), "^object.other: it is missing$"),
        (lambda: [each.text("code") for each in RECORD.parts("objects")], r"^objects\[1\].code: this has to be a text"),
        (lambda: [each.number("a") for each in RECORD.json_parts("json")], r"^json\[1\].a: it is null$"),
        (lambda: list(RECORD.parts("list")), r"^list\[0\]: this has to be an object, and it is a text$"),
        (lambda: RECORD.json_text("broken"), "^broken: this is no JSON: Expecting value"),
        (lambda: RECORD.json_text("deep"), "^deep: this is no JSON: maximum recursion"),
    ],
)
def test_a_field_that_is_not_what_it_has_to_be_is_named(get: Callable[[], object], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        get()


def test_what_is_missing_may_have_a_default_and_what_was_not_measured_is_none() -> None:
    assert (RECORD.text("null", "x"), RECORD.number("none", 2.0), RECORD.items("none", [])) == ("x", 2.0, [])
    assert [RECORD.measured(name) for name in ("null", "none", "nan", "inf", "number")] == [None, None, None, None, 3.0]
    assert (RECORD.identity("number"), RECORD.identity("text")) == ("3", "a")


def test_an_integer_may_have_any_number_of_digits() -> None:
    assert RECORD.json_text("long") == 10**5000 - 1

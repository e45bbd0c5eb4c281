"""Reads the records of one file, one at a time, whatever kind of file it is."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import IO, TYPE_CHECKING, Any, cast

from afterburner.evals.datasets.records import Record, parse_json
from afterburner.evals.errors import DatasetError
from afterburner.evals.problems import Rejected
from afterburner.sandbox.extras import install_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pyarrow as pa

LONGEST = 256 * 1024 * 1024  # bytes of one record, and of a .json file as a whole: what has to be held at once
KINDS = (".jsonl", ".json", ".csv", ".parquet")
KINDS_TOLD = ".jsonl, .json and .csv, each also as .gz, and .parquet"
_ONE_A_LINE = "a .jsonl file holds one object a line, a .json file a list of objects"
_TOGETHER = 16  # rows of a Parquet file


def kind_of(path: Path) -> str:
    """What kind of file it is, by its name: one of `KINDS`; empty: none of them."""
    name = path.name.lower()
    packed = name.endswith(".gz")
    kind = "." + name.removesuffix(".gz").rpartition(".")[2]
    return kind if kind in KINDS and not (packed and kind == ".parquet") else ""


def records_of_file(path: Path) -> Iterator[Record | Rejected]:
    """Read a file; a record that is broken is a `Rejected`, and the others go on.

    Raises:
        DatasetError: it is of no known kind, or cannot be read at all.
    """
    readers: dict[str, Callable[[Path], Iterator[Record | Rejected]]] = {
        ".jsonl": _json_lines,
        ".json": _json_document,
        ".csv": _csv,
        ".parquet": _parquet,
    }
    kind = kind_of(path)
    if not kind:
        raise DatasetError(f"{path} is none of the files that records are read from: {KINDS_TOLD}.")
    try:
        yield from readers[kind](path)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise DatasetError(f"{path} cannot be read: {reason}.") from error


def _place(path: Path, number: int) -> str:
    return f"{path.name}, record {number}"


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked as they are read."""
    with cast("IO[bytes]", gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")) as file:
        yield file


def _json_lines(path: Path) -> Iterator[Record | Rejected]:
    with _opened(path) as file:
        number, hint = 0, _ONE_A_LINE
        for line_number in count(1):
            if not (line := file.readline(LONGEST + 1)):
                break
            if len(line) > LONGEST:
                raise DatasetError(f"{_place(path, number + 1)} is longer than {LONGEST} bytes.")
            if line.strip():
                number += 1
                text = line.rstrip().removeprefix(b"\xef\xbb\xbf")
                found = _record(_place(path, number), text, line_number)
                if hint and isinstance(found, Rejected) and _ends_too_early(text):
                    found, hint = replace(found, reason=f"{found.reason}; {hint}"), ""  # told once
                yield found


def _ends_too_early(line: bytes) -> bool:
    """Whether a line is the beginning of JSON and lacks the rest, as one of an object over several lines."""
    text = line.decode(errors="replace")
    try:
        parse_json(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text)
    except (ValueError, RecursionError):
        return False
    return False


def _json_document(path: Path) -> Iterator[Record | Rejected]:
    """A list of records, an object of them by their names, or a single one."""
    with _opened(path) as file:
        text = file.read(LONGEST + 1)
    if len(text) > LONGEST:
        raise DatasetError(
            f"{path} is longer than {LONGEST} bytes, which is too much for JSON in one piece. Use .jsonl."
        )
    try:
        document = parse_json(text)
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{path} is no JSON: {error}.") from error
    found = document
    if isinstance(document, dict):
        by_name = bool(document) and all(isinstance(each, dict) for each in document.values())
        found = list(document.values()) if by_name else [document]
    if not isinstance(found, list):
        raise DatasetError(f"{path} holds neither a list of records nor an object of them.")
    for number, values in enumerate(found, start=1):
        yield _checked(_place(path, number), values)


def _csv(path: Path) -> Iterator[Record | Rejected]:
    csv.field_size_limit(max(LONGEST, csv.field_size_limit()))  # a program in a field is longer than 131,072 characters
    opened = gzip.open if path.name.lower().endswith(".gz") else open
    with cast("IO[str]", opened(path, "rt", encoding="utf-8-sig", newline="")) as file:
        for number, values in enumerate(csv.DictReader(file), start=1):
            place = _place(path, number)
            if None in values:  # where `DictReader` puts what is beyond the last column
                yield Rejected(place, "", "it has more fields than the first line names")
            else:
                yield Record(values, place)


def _parquet(path: Path) -> Iterator[Record | Rejected]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - heavy
        import pyarrow.parquet as pq  # noqa: PLC0415 - heavy
    except ImportError:
        raise DatasetError(
            f"{path} is read by pyarrow, which is not installed. Install it: {install_command('evals')}"
        ) from None
    numbers = count(1)
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_TOGETHER):
                for row in range(batch.num_rows):
                    yield _row(_place(path, next(numbers)), batch.slice(row, 1))
    except pa.ArrowException as error:
        raise DatasetError(f"{path} is no Parquet file that can be read: {error}.") from error


def _row(place: str, batch: pa.RecordBatch) -> Record | Rejected:
    """The only row of a batch."""
    try:
        return Record(batch.to_pylist()[0], place)
    except (ValueError, OverflowError) as error:  # such as a date beyond the year 9999
        return Rejected(place, "", f"Python has no such values: {error}")


def _record(place: str, line: bytes, line_number: int) -> Record | Rejected:
    try:
        return _checked(place, parse_json(line.decode()))
    except json.JSONDecodeError as error:
        return Rejected(place, "", f"this is no JSON: {error.msg}: line {line_number} column {error.colno}")
    except UnicodeDecodeError as error:
        return Rejected(place, "", f"this is not UTF-8: {error.reason} at byte {error.start}")
    except RecursionError:
        return Rejected(place, "", "this is JSON within JSON, too deep to be read")


def _checked(place: str, values: Any) -> Record | Rejected:
    if not isinstance(values, dict):
        return Rejected(place, "", "this is no object with fields")
    return Record(values, place)

"""Other contents of files, for paths, open files and texts in memory."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.inputs.inside import file_edges as file_edges_module
from afterburner.agent.inputs.inside.edge_values import edges
from afterburner.agent.inputs.inside.file_edges import contents, file_edges, is_path, with_few_lines
from afterburner.sandbox.driver import call_files
from afterburner.sandbox.driver.call_blobs import load_call
from afterburner.sandbox.driver.call_files import CarriedFile, with_files

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE = b"name,price\nash,1\noak,2\nelm,3\n"
EMPTY_CALL = b"\x80\x04()}}t."


@pytest.fixture(autouse=True)
def files(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is known of the files of other calls; and what is made here is gone afterwards."""
    made = call_files.FilesOfCalls()
    monkeypatch.setattr(call_files, "FILES", made)
    monkeypatch.setattr(file_edges_module, "FILES", made)
    yield
    made.lay_out(())


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "prices.csv"
    path.write_bytes(TABLE)
    return path


def test_a_file_comes_with_other_contents() -> None:
    found = dict(contents(TABLE))
    assert found["empty file"] == b""
    assert found["no newline at the end of the file"] == TABLE[:-1]
    assert found["last line cut off"] == b"name,price\nash,1\noak,2\nel"
    assert found["blank line at the end of the file"] == TABLE + b"\n"
    assert found["blank line in the file"] == b"name,price\nash,1\n\noak,2\nelm,3\n"
    assert found["line twice"] == b"name,price\nash,1\noak,2\noak,2\nelm,3\n"
    assert found["lines shuffled"] == b"name,price\noak,2\nash,1\nelm,3\n"
    assert found["line cut off in the file"] == b"name,price\nash,1\noa\nelm,3\n"
    assert found["quoted field"] == TABLE + b'"elm,elm",3\n'
    assert found["lines that end in CR LF"] == TABLE.replace(b"\n", b"\r\n")
    assert found["byte order mark"] == b"\xef\xbb\xbf" + TABLE
    assert "\u0130" in found["letters that are not ASCII"].decode()
    with pytest.raises(UnicodeDecodeError):
        found["bytes that are no UTF-8"].decode()


def test_every_content_is_another_one() -> None:
    for content in (TABLE, TABLE.replace(b"\n", b"\r\n"), b"one line", b"", b"\n", b"\xff\xfe"):
        made = [changed for _, changed in contents(content)]
        assert content not in made
        assert len(set(made)) == len(made)
    assert [kind for kind, _ in contents(b"\0" * 10)] == ["empty file", "file cut off"]
    assert all(len(changed) < 6_000 for _, changed in contents(TABLE * 1_000))


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_leads_to_a_file_with_another_content(table: Path, kind: type) -> None:
    found = dict(edges(kind(table)))
    assert isinstance(found["byte order mark"], kind)
    assert Path(found["byte order mark"]).read_bytes() == b"\xef\xbb\xbf" + TABLE
    assert Path(found["empty file"]).name == "prices.csv"
    assert Path(found["empty file"]).parent.name.startswith("empty-file-")
    assert table.read_bytes() == TABLE


def test_what_leads_to_no_file_has_no_other_contents(tmp_path: Path) -> None:
    values = [
        tmp_path / "missing",
        tmp_path,
        "prices",
        "a b",
        "",
        ".",
        "x" * 2_000,
        "/" + "y" * 300,
        "\ud800.",
        7,
        None,
    ]
    assert [list(file_edges(value)) for value in values] == [[]] * len(values)
    assert [is_path(value) for value in values] == [False, True, *[False] * 3, True, *[False] * 5]


def test_a_long_file_is_cut_for_small_inputs(table: Path) -> None:
    assert with_few_lines(str(table)) == str(table)
    table.write_bytes(TABLE * 1_000)
    short = with_few_lines(table)
    assert short.name == table.name
    assert (
        short.read_bytes()
        == TABLE * (len(short.read_bytes()) // len(TABLE)) + TABLE[: len(short.read_bytes()) % len(TABLE)]
    )
    assert len(short.read_bytes()) <= 4_096


def test_a_folder_comes_with_other_files(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    needed = [CarriedFile(str(folder), None, is_named=True)]
    needed += [CarriedFile(str(folder / name), TABLE, is_named=True) for name in ("a.csv", "b.csv")]
    load_call(with_files(EMPTY_CALL, tuple(needed)))
    found = [(kind, {path.name: path.read_bytes() for path in made.iterdir()}) for kind, made in file_edges(folder)]
    assert ("file missing", {"b.csv": TABLE}) in found
    assert ("empty file", {"a.csv": b"", "b.csv": TABLE}) in found
    assert ("empty file", {"a.csv": TABLE, "b.csv": b""}) in found
    assert ("empty folder", {}) in found


def test_an_open_file_is_one_with_another_content(table: Path) -> None:
    with table.open(encoding="utf-8") as text, table.open("rb") as data:
        for value in (text, data):
            for kind, made in file_edges(value):
                with made:
                    assert (type(made), made.mode) == (type(value), value.mode)
                    assert kind != "empty file" or not made.read()
    assert not list(file_edges(text))  # it is closed


def test_texts_in_memory_have_other_contents() -> None:
    text, data = io.StringIO("a\nb\n", newline=None), io.BytesIO(b"a\nb\n")
    found = dict(file_edges(text))
    assert found["no newline at the end of the file"].read() == "a\nb"
    assert found["lines that end in CR LF"].read() == "a\nb\n"  # as it translates them
    assert dict(file_edges(data))["lines that end in CR LF"].read() == b"a\r\nb\r\n"

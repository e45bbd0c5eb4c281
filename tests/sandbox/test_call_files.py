"""Files that a call needs come with it: in the sandbox they are there before it, and gone or as they were after it."""

from __future__ import annotations

import io
import pickle
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from calling import blob, shown, verdict_on

from afterburner.agent.judge.gates import judge_complaints
from afterburner.sandbox import CallCase, FunctionEntry, Limits, Program, Verdict
from afterburner.sandbox.cores import divide_cores
from afterburner.sandbox.driver import call_files, opened_files
from afterburner.sandbox.driver.call_blobs import dump_call, load_call
from afterburner.sandbox.driver.call_files import CarriedFile, with_files, with_opened, without_files
from afterburner.sandbox.duels import Duel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calling import Call

    from afterburner.sandbox import Sandbox

READ = "def f(path):\n    with open(path) as file:\n        return file.read()\n"
LIST = "import os\ndef f(path):\n    return sorted(os.listdir(path))\n"
WRITE = (
    READ
    + "def g(path):\n    old = f(path)\n    with open(path, 'a') as file:\n        file.write('x')\n    return old\n"
)
TABLE = b"name,price\na,1\nb,2\n"


def with_file(call: bytes, path: str, content: bytes | None) -> bytes:
    return with_files(call, (CarriedFile(path, content, is_named=True),))


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A scratch folder of this machine, and nothing known of the files of other calls."""
    files = call_files.FilesOfCalls()
    monkeypatch.setattr(call_files, "FILES", files)
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)
    files.clear()


def test_a_file_is_there_for_the_call_that_needs_it_and_for_no_other(call: Call) -> None:
    path = "/tmp/shop/prices.csv"  # noqa: S108 - in the sandbox
    with_it, without = with_file(blob(path), path, TABLE), blob(path)
    for blobs in ([with_it, without], [without, with_it]):
        told = dict(zip(blobs, shown(call(READ, *blobs, passes=2)), strict=True))
        assert told[with_it] == "returned 'name,price\\na,1\\nb,2\\n'"
        assert told[without].startswith("raised FileNotFoundError")


def test_two_calls_may_need_other_contents_of_one_file(call: Call) -> None:
    path = "/dev/shm/x"  # noqa: S108 - in the sandbox
    first, second = (with_file(blob(path), path, content) for content in (b"1", b"2"))
    assert shown(call(READ, first, second, first)) == ["returned '1'", "returned '2'", "returned '1'"]


@pytest.mark.parametrize("known_names", [None, ()])
def test_what_a_call_writes_is_not_there_for_the_next(call: Call, known_names: tuple[str, ...] | None) -> None:
    path = "/tmp/log"  # noqa: S108 - in the sandbox
    same = [with_file(blob(path), path, b"log")] * 2
    report = call(WRITE, *same, qualname="g", passes=2, known_names=known_names)
    assert shown(report)[0].startswith("returned 'log'")
    assert report.outcomes[0].encoded == report.outcomes[1].encoded


def test_a_folder_is_there_without_what_calls_before_have_left_in_it(call: Call) -> None:
    source = (
        LIST
        + "def g(path):\n    os.makedirs(path + '/deep/er')\n    open(path + '/new', 'w').close()\n    return f(path)\n"
    )
    folder = "/tmp/made/out"  # noqa: S108 - in the sandbox
    needed = (CarriedFile(folder, None, is_named=True), CarriedFile(folder + "/in/a", b"a", is_named=True))
    same = [with_files(blob(folder), needed)] * 2
    assert shown(call(source, *same, qualname="g")) == ["returned ['deep', 'in', 'new']"] * 2
    assert shown(call(LIST, *same)) == ["returned ['in']"] * 2


def test_the_same_call_once_more_finds_the_file_as_the_first_has_left_it(call: Call) -> None:
    path = "/tmp/log"  # noqa: S108 - in the sandbox
    anew = "def f(path):\n    with open(path, 'w') as file:\n        file.write('new')\n"
    needed = with_file(blob(path), path, b"")
    expected = tuple(outcome.encoded for outcome in call(anew.replace("'w'", "'a'"), needed, known_names=()).outcomes)
    report = call(anew, needed, known_names=(), expected=expected)
    assert report.verdict is Verdict.WRONG_ANSWER
    assert "did something else the second time" in report.detail


def test_nothing_is_written_outside_of_scratch_folders(call: Call) -> None:
    needed = with_file(blob("/usr/new"), "/usr/new", b"new")
    assert shown(call(READ, needed))[0].startswith("raised FileNotFoundError")


def test_a_call_carries_the_files_that_it_names(scratch: Path) -> None:
    path, folder, large, other = (scratch / name for name in ("a.csv", "out", "large", "other"))
    for each, content in ((path, TABLE), (large, bytes((1 << 20) + 1)), (other, b"x")):
        each.write_bytes(content)
    folder.mkdir()
    named = [{"path": str(path)}, folder, str(large), str(scratch / "missing"), "/etc/passwd", "/tmp"]  # noqa: S108
    files, _ = without_files(dump_call(named, {}, {"OTHER": other}))
    assert {each.path: each.content for each in files} == {
        str(path): TABLE,
        str(folder): None,
        str(other): b"x",
        str(scratch): None,  # which is to hold what is missing
    }


def test_a_call_carries_what_it_has_opened(scratch: Path) -> None:
    (scratch / "in").mkdir()
    (scratch / "in" / "rows").write_text("rows")
    (scratch / "log").write_text("old")
    heeding = opened_files.OpenedFiles(read_below=("/tmp/",))  # noqa: S108 - as above
    call = dump_call([scratch / "in"], {}, {})
    heeding.begin()
    (scratch / "in" / "rows").read_text()
    with (scratch / "log").open("a") as file:
        file.write("new")
    (scratch / "new").write_text("new")
    Path("/etc/passwd").read_bytes()
    heeding.end()
    files, rest = without_files(with_opened(call, heeding.before()))
    assert [(Path(each.path).name, each.content, each.is_named) for each in files] == [
        ("in", None, True),
        ("rows", b"rows", True),
        ("log", b"old", False),
    ]
    assert pickle.loads(rest)[0] == (scratch / "in",)  # noqa: S301 - made above


def test_a_call_that_is_to_write_a_file_brings_its_folder(call: Call, scratch: Path) -> None:
    (scratch / "out").mkdir()
    path = scratch / "out" / "report.csv"
    files, _ = without_files(dump_call([path], {}, {}))
    assert [(each.path, each.content) for each in files] == [(str(path.parent), None)]
    (scratch / "out").rmdir()
    write = "def f(path):\n    with open(path, 'x') as file:\n        return file.write('a')\n"
    assert shown(call(write, *[with_files(blob(str(path)), files)] * 2)) == ["returned 1"] * 2


def test_inputs_made_from_a_call_keep_its_files(scratch: Path) -> None:
    path, unnamed = scratch / "rows", scratch / "settings"
    needed = (CarriedFile(str(path), b"rows", is_named=True), CarriedFile(str(unnamed), b"on", is_named=False))
    load_call(with_files(blob(str(path), 1), needed))
    assert (path.read_bytes(), unnamed.read_bytes()) == (b"rows", b"on")
    path.unlink()  # the function moved it away
    changed, _ = without_files(dump_call([str(path), 2], {}, {}))
    assert {each.path: each.content for each in changed} == {str(path): b"rows", str(unnamed): b"on"}
    load_call(blob(1))
    assert not unnamed.exists()


def test_samples_find_the_files_and_tell_that_they_must_not_run_at_once(sandbox: Sandbox) -> None:
    paths = ["/tmp/in/a", "/tmp/in/b", "/tmp/in/a"]  # noqa: S108 - in the sandbox
    calls = tuple(with_file(blob(path), path, content) for path, content in zip(paths, (b"1", b"2", b"3"), strict=True))
    program = Program("python", READ, FunctionEntry("target", "/afterburner/program/target.py", "f"))
    [case] = sandbox.run(program, [CallCase(calls)]).cases
    expected = tuple(outcome.encoded for outcome in case.outcomes)
    leaves = READ.replace("    with", "    open('/tmp/left', 'w').close()\n    with")
    duel = Duel((READ, leaves), CallCase(calls, expected), ((0,), (1,), (2,), (0,)), 5.0, watched=(0, 1, 2))
    report = sandbox.duel(program, duel, Limits(), cpu=divide_cores().slots[-1])
    assert [sample.verdict for sample in report.samples] == [Verdict.ACCEPTED] * 4, report.broken_off
    original, same, other, unwatched = (sample.complaints for sample in report.samples)
    assert original == same == ("files of calls: they are laid out in scratch folders",)
    assert unwatched == ()
    assert judge_complaints(original, same) is None
    assert judge_complaints(original, other) == "it leaves files behind (/tmp/left)"


opening = pytest.mark.filterwarnings(  # what is read back is left to the garbage collector
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
OPEN = "def f(file, n):\n    return [next(file) for _ in range(n)]\n"


@opening
def test_an_open_file_is_open_at_the_same_place(call: Call, scratch: Path) -> None:
    path = scratch / "prices.csv"
    path.write_bytes(TABLE)
    with path.open(encoding="ascii") as text, path.open("rb") as data:
        text.readline()
        data.read(3)
        blobs = [dump_call([text, 1], {}, {}), dump_call([data, 1], {}, {})]
    assert [told.partition(", ")[0] for told in shown(call(OPEN, *blobs))] == [
        "returned ['a,1\\n']",
        "returned [b'e,price\\n']",
    ]


@opening
def test_a_rewrite_has_to_leave_an_open_file_where_the_original_does(call: Call, scratch: Path) -> None:
    path = scratch / "prices.csv"
    path.write_bytes(TABLE)
    with path.open() as file:
        needed = dump_call([file, 1], {}, {})
    by_line = OPEN.replace("next(file)", "file.readline()")
    at_once = "def f(file, n):\n    return file.read().splitlines(True)[:n]\n"
    assert verdict_on(call, OPEN, by_line, needed) == (Verdict.ACCEPTED, "")
    assert verdict_on(call, OPEN, at_once, needed)[0] is Verdict.WRONG_ANSWER
    lazy = "def f(file, n):\n    for line in file:\n        yield line\n"
    assert verdict_on(
        call, lazy, lazy.replace("    for line in file:\n        yield line", "    yield from file"), needed
    ) == (
        Verdict.ACCEPTED,
        "",
    )


def test_texts_in_memory_are_open_files_too(call: Call) -> None:
    held = io.StringIO("a\nb\n")
    held.readline()
    assert shown(call(OPEN, dump_call([held, 1], {}, {})))[0].startswith("returned ['b\\n']")

"""What the store knows of a file: its proven rewrites are found again, cheaply, and without making a store."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from afterburner.agent import UsageError, has_improvements, open_session
from afterburner.agent.errors import RunStoreError
from afterburner.agent.loop.results import RunResult
from afterburner.agent.options import RunSettings
from afterburner.agent.store.connect import open_existing_database
from afterburner.agent.store.improved_runs import OF_ONE_FUNCTION
from afterburner.agent.store.sqlite import VERSION, database_path
from afterburner.agent.store.stored_run import StoredRequest
from afterburner.agent.store.table import open_runs
from afterburner.agent.types import Gain, HeldOut, Machine, Objective, Target
from afterburner.sandbox import Measurement

if TYPE_CHECKING:
    from pathlib import Path

ASKED = StoredRequest(RunSettings("a.py"), {}, "/srv")
MEASUREMENT = Measurement(0.5, 0.4, 10_240, 5120.0, 480)
GAIN = Gain(2.0, 1.8, 2.2, 0.95, 15)
MACHINE = Machine("Linux", "Quick CPU", 2, 8_388_608, "3.11", "bubblewrap 0.8.0", "rlimits")


@pytest.fixture(autouse=True)
def own_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def finished(run_id: str, path: str = "/srv/a.py", function: str | None = "f", *, improved: bool = True) -> RunResult:
    """A run of the store that is over."""
    target = Target(path, "x = 1\n", function, "a", "/srv", "/srv")
    result = RunResult(
        run_id, target, Objective.TIME, "rules", improved, "2x", GAIN, MEASUREMENT, MEASUREMENT,
        HeldOut(3, True, GAIN), (), "--- a", "y = 1\n", None, (("doctest", 2),), (), MACHINE, 12.5,
    )  # fmt: skip
    with open_runs() as runs:
        runs.begin(run_id, ASKED, target)
        runs.finish(run_id, result)
    return result


def found(path: str | Path = "/srv/a.py", **options: int) -> list[RunResult]:
    with open_session() as session:
        return list(session.improvements(path, **options))


@pytest.mark.usefixtures("run_store")
def test_the_improvements_of_a_file_come_newest_first_and_a_few_of_each_function() -> None:
    assert found() == []
    assert not has_improvements("/srv/a.py")
    with open_existing_database() as database:
        assert database is None, "a lookup makes no store"
    of_f = [finished(f"20260101-00000{number}-aaaaaa") for number in range(OF_ONE_FUNCTION + 2)]
    of_g = finished("20260101-000002-bbbbbb", function="g")
    finished("20260102-000000-aaaaaa", improved=False)
    finished("20260102-000001-aaaaaa", function=None)
    finished("20260102-000002-aaaaaa", path="/srv/b.py")
    member = finished("20260102-000003-aaaaaa.2", function="of_many")
    with open_runs() as runs:
        runs.begin("20260102-000004-aaaaaa", ASKED, of_g.target)  # and never ended
    assert found() == [member, *of_f[:1:-1][:2], of_g, of_f[2]]
    assert found("/srv/../srv/a.py", most=2) == [member, of_f[-1]]
    assert found("/srv/c.py") == []
    assert has_improvements("/srv/a.py")
    assert not has_improvements("/srv/c.py")


def test_a_file_is_found_by_the_link_that_leads_to_it(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "shop")
    result = finished("20260101-000000-aaaaaa", path=str(tmp_path / "shop" / "a.py"))
    assert found(tmp_path / "link" / "a.py") == [result]


def test_a_lookup_makes_no_store_and_brings_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; from afterburner.agent import open_session\n"
        "with open_session() as session: print(list(session.improvements('a.py')))\n"
        "print(sorted({'litellm', 'langgraph', 'libcst', 'torch'} & sys.modules.keys()))"
    )
    for path in (None, "/srv/other.py"):
        if path:
            finished("20260101-000000-aaaaaa", path=path)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
        assert done.stdout.split() == ["[]", "[]"]
        assert database_path().exists() == bool(path)


def test_a_session_without_a_store_knows_nothing_and_one_with_a_folder_looks_there(tmp_path: Path) -> None:
    finished("20260101-000000-aaaaaa")
    with open_session(store=None) as session:
        assert list(session.improvements("/srv/a.py")) == []
    with open_session(store=tmp_path / "none") as session:
        assert list(session.improvements("/srv/a.py")) == []
    assert not (tmp_path / "none").exists()
    with open_session(store=database_path().parent) as session:
        assert [each.run_id for each in session.improvements("/srv/a.py")] == ["20260101-000000-aaaaaa"]


def test_what_is_damaged_is_left_out() -> None:
    older = finished("20260101-000000-aaaaaa")
    for number, blob in enumerate((b"\x80\x04.", b"", b"\xc1")):  # a pickle, nothing, no msgpack
        finished(f"20260101-00000{number + 1}-bbbbbb", function=f"f{number}")
        with sqlite3.connect(database_path()) as connection:
            connection.execute("UPDATE runs SET result = ? WHERE function = ?", (blob, f"f{number}"))
    finished("20260101-000009-cccccc", function="old")
    with sqlite3.connect(database_path()) as connection:
        connection.execute("UPDATE runs SET format = format - 1 WHERE function = 'old'")
    assert found() == [older]


def test_a_store_that_cannot_be_read_is_told_and_left_as_it_is() -> None:
    finished("20260101-000000-aaaaaa")
    with sqlite3.connect(database_path()) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    with pytest.raises(RunStoreError, match="newer version"):
        found()
    database_path().write_bytes(b"no database at all" * 100)
    with pytest.raises(RunStoreError, match="cannot be used"):
        found()
    assert database_path().read_bytes().startswith(b"no database")
    database_path().write_bytes(b"")  # another process has just begun to make it
    assert found() == []
    assert database_path().stat().st_size == 0
    with open_session() as session, pytest.raises(UsageError, match="the path of a file"):
        session.improvements(3)  # type: ignore[arg-type]

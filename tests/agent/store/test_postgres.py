"""Runs that are kept in PostgreSQL: on a real server, which is stopped, refuses, and has other users."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import psycopg
import pytest
from langgraph.checkpoint.base import empty_checkpoint

from afterburner.agent.errors import RunStoreError
from afterburner.agent.options import RunSettings
from afterburner.agent.store import postgres as postgres_module
from afterburner.agent.store.checkpoints import open_checkpointer, thread_of
from afterburner.agent.store.connect import open_database
from afterburner.agent.store.stored_run import RunState, StoredRequest
from afterburner.agent.store.table import open_runs
from afterburner.agent.types import Target

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine, PostgresServer

TARGET = Target("/srv/a.py", "", "f", "a", "/srv", "/srv")
RUN = "20260101-000000-aaaaaa"
SECRET = "S3cret"  # noqa: S105 - how much of the server's password must not be seen
SLOW = """\
import os


def common(left, right):
    result = []
    for name in left:
        if name in right:
            result.append(name)
    return result


if __name__ == "__main__":
    assert not [name for name in os.environ if "AFTERBURNER" in name or "postgresql" in os.environ[name]]
    for size in (700, 800, 900, 1000):
        print(len(common(list(range(size)), list(range(size - 5, 2 * size)))))
"""


@pytest.fixture
def database(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an empty database that runs are kept in."""
    name = postgres.new_database()
    monkeypatch.setenv("AFTERBURNER_STORE", postgres.url(name))
    return name


def begin(run_id: str = RUN) -> None:
    with open_runs() as runs:
        runs.begin(
            run_id, StoredRequest(RunSettings("a.py"), {}, "/srv"), Target("/srv/a.py", "", "f", "a", "/srv", "/srv")
        )


def put_checkpoint(run_id: str, checkpointer: object, size: int = 0) -> None:
    config = thread_of(run_id)
    config["configurable"]["checkpoint_ns"] = ""
    checkpoint = empty_checkpoint() | {"channel_values": {"pending": ["x" * size]}}
    checkpointer.put(config, checkpoint, {}, {"pending": "1"})


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://runner:pg-S3cret@word@127.0.0.1/store",
        "postgresql://runner:pg/S3cret@127.0.0.1/store",
        "postgresql://runner:12/S3cret@127.0.0.1/store",
        "postgresql://runner:S3cret",
        "postgresql://runner:S3cret/store",
        "postgresql://runner:pg%S3cret@127.0.0.1/store",
        "postgresql://runner:pg@S3cret:x@127.0.0.1/store",
        "postgresql://127.0.0.1/store?password=x&S3cret",
        "mysql://runner:S3cret@127.0.0.1/store",
        "S3cret",
    ],
)
def test_an_address_that_cannot_be_meant_so_is_refused_and_not_shown(program: CommandLine, url: str) -> None:
    done = program("runs", AFTERBURNER_STORE=url, AFTERBURNER_DEBUG="1")
    assert done.returncode == 2
    assert "error: AFTERBURNER_STORE" in done.stderr
    assert SECRET not in done.stdout + done.stderr
    assert "word" not in done.stderr.replace("PASSWORD", "").replace("a password", ""), "nor a part of it"


def test_a_server_that_cannot_be_used_is_named_without_the_password(
    program: CommandLine, postgres: PostgresServer, database: str
) -> None:
    postgres.execute("postgres", "CREATE ROLE guest LOGIN PASSWORD 'S3cret'")
    postgres.execute("postgres", f"REVOKE CREATE ON DATABASE {database} FROM PUBLIC")
    latin = postgres.new_database("ENCODING LATIN1 TEMPLATE template0")
    url = postgres.url(database)
    wrong = {
        url.replace("25word", "25wort"): "password authentication failed",
        postgres.url("nothing"): 'database "nothing" does not exist',
        url.replace(str(postgres.port), "1"): "refused",
        postgres.url(database, "guest:S3cret"): "permission denied",
        postgres.url(latin): "needs UTF8",
    }
    for address, why in wrong.items():
        done = program("runs", AFTERBURNER_STORE=address, AFTERBURNER_DEBUG="1")
        assert (done.returncode, why in done.stderr) == (1, True), done.stderr
        last = done.stderr.splitlines()[-1]
        assert last.startswith("error: The run store postgresql://"), last
        assert SECRET not in done.stdout + done.stderr


def test_the_password_may_come_from_libpq_and_from_nowhere_else_it_is_shown(
    program: CommandLine, postgres: PostgresServer, database: str
) -> None:
    url = postgres.url(database, "runner")
    assert "no password supplied" in program("runs", AFTERBURNER_STORE=url).stderr
    by_variable = program("runs", AFTERBURNER_STORE=url, PGPASSWORD="pg-S3cret:/@%word")
    assert (by_variable.returncode, by_variable.stderr) == (0, "")
    file = program.home / ".pgpass"
    file.write_text("127.0.0.1:*:*:runner:pg-S3cret\\:/@%word\n")
    file.chmod(0o600)
    assert program("runs", AFTERBURNER_STORE=url).returncode == 0
    config = program("config", "--json", "-", AFTERBURNER_STORE=postgres.url(database))
    assert config.returncode == 0
    assert "AFTERBURNER_STORE" not in config.stderr, "it is not taken for a misspelt setting"
    assert SECRET not in config.stdout + config.stderr


@pytest.mark.parametrize("missing", ["psycopg", "langgraph.checkpoint.postgres"])
def test_without_its_packages_it_says_which_extra_has_them(program: CommandLine, missing: str) -> None:
    hide = (
        "import sys\n\nclass Hide:\n    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {missing!r}:\n            raise ModuleNotFoundError('No module named ' + repr(name))\n\n"
        "sys.meta_path.insert(0, Hide())\n"
    )
    (program.plugins / "sitecustomize.py").write_text(hide)
    done = program.afresh("runs", AFTERBURNER_STORE="postgresql://runner:S3cret@127.0.0.1/store")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
    assert "-m pip install -e '" in done.stderr
    assert "[postgres]'" in done.stderr


def test_without_such_an_address_nothing_of_postgresql_is_loaded(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom afterburner.agent.store.table import open_runs\n"
        "from afterburner.agent.store.checkpoints import *\n"
        "with open_runs() as runs, open_checkpointer(runs.database):\n    pass\n"
        "print([name for name in sys.modules if 'psycopg' in name or 'postgres' in name])"
    )
    variables = {name: value for name, value in os.environ.items() if name != "AFTERBURNER_STORE"}
    command = [sys.executable, "-c", script]
    environment = variables | {"XDG_STATE_HOME": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.usefixtures("database")
def test_many_may_make_the_tables_at_once() -> None:
    ready = threading.Barrier(6)

    def begin_one(number: int) -> None:
        ready.wait()
        with open_database() as opened, open_checkpointer(opened) as checkpointer:
            assert checkpointer.get_tuple(thread_of(f"{number}")) is None

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(begin_one, range(6))) == [None] * 6
    begin()


def test_what_others_keep_in_the_same_database_is_left_alone(postgres: PostgresServer, database: str) -> None:
    for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
        postgres.execute(database, f"CREATE TABLE public.{table} AS SELECT 'theirs' AS thread_id")
    begin()
    with open_runs() as runs, open_checkpointer(runs.database) as checkpointer:
        put_checkpoint("stray", checkpointer)
    begin("20260101-000000-bbbbbb")
    assert postgres.execute(database, "SELECT count(*) FROM afterburner.checkpoints") == [(0,)], "a stray is swept up"
    assert postgres.execute(database, "SELECT count(*) FROM public.checkpoints") == [(1,)]


def test_a_store_of_a_newer_version_is_left_alone(postgres: PostgresServer, database: str) -> None:
    begin()
    newer = postgres_module.VERSION + 1
    postgres.execute(database, f"UPDATE afterburner.store SET version = {newer}")  # noqa: S608
    with pytest.raises(RunStoreError, match="newer version"), open_database():
        pass


def test_a_user_who_may_only_use_the_schema_can_keep_runs(
    postgres: PostgresServer, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin()
    for statement in (
        "CREATE ROLE member LOGIN PASSWORD 'S3cret'",
        "GRANT USAGE, CREATE ON SCHEMA afterburner TO member",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA afterburner TO member",
    ):
        postgres.execute(database, statement)
    monkeypatch.setenv("AFTERBURNER_STORE", postgres.url(database, "member:S3cret"))
    begin("20260101-000000-bbbbbb")
    postgres.execute(database, "REVOKE UPDATE ON afterburner.runs FROM member")
    with open_runs() as runs, pytest.raises(RunStoreError, match=r"permission denied.*Let this user"):
        runs.count_tests(RUN, 1)


def test_a_test_is_counted_before_its_first_look_while_checkpoints_are_written(
    postgres: PostgresServer, database: str
) -> None:
    """Both go over one connection: a count must not wait in a batch of LangGraph's, where a kill would undo it."""
    begin()
    stop = threading.Event()
    failed: list[BaseException] = []
    with open_runs() as runs, open_checkpointer(runs.database) as checkpointer:

        def write_checkpoints() -> None:
            try:
                while not stop.is_set():
                    put_checkpoint(RUN, checkpointer, size=100_000)
            except BaseException as error:  # noqa: BLE001 - told to the test
                failed.append(error)

        writer = threading.Thread(target=write_checkpoints)
        writer.start()
        try:
            with psycopg.connect(postgres.url(database), autocommit=True) as other:
                for count in range(1, 101):
                    runs.count_tests(RUN, count)
                    assert other.execute("SELECT tests_begun FROM afterburner.runs").fetchone() == (count,)
        finally:
            stop.set()
            writer.join()
        assert failed == []


def test_a_connection_that_is_cut_costs_the_claim_and_nothing_that_was_stored(
    postgres: PostgresServer, database: str
) -> None:
    begin()
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
    with open_runs() as runs, runs.claimed(RUN):
        runs.count_tests(RUN, 1)
        with runs.claimed("20250101-000000-abcdef"):
            pass  # as where an old run is forgotten
        postgres.execute(database, f"{cut} pg_backend_pid()")
        with open_runs() as others, others.claimed(RUN):
            assert others.tests_begun(RUN) == 1
        with pytest.raises(RunStoreError) as lost:
            runs.count_tests(RUN, 2)
    assert "was lost: " in str(lost.value)
    assert f"`afterburner-agent resume {RUN}` continues" in str(lost.value)
    assert SECRET not in str(lost.value)
    with open_runs() as runs:
        assert runs.tests_begun(RUN) == 1, "who lost the claim writes nothing more"
        assert runs.find(RUN).state is RunState.INTERRUPTED


def read_until(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    raise AssertionError(words)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("sandbox")
def test_a_run_outlives_its_machine_and_the_server(
    program: CommandLine, postgres: PostgresServer, database: str, tmp_path: Path
) -> None:
    """Killed on one machine, resumed on another, cut off there by the server's end, and resumed when it is back."""
    file = program.home / "names.py"
    file.write_text(SLOW)
    program, hold = program.held()
    variables = {**program.variables, "AFTERBURNER_STORE": postgres.url(database)}
    first = replace(program, variables=variables)
    second = replace(first, variables=variables | {"XDG_STATE_HOME": str(tmp_path / "another machine")})
    said = []

    run = first.start("run", "names.py", "--iterations", "1", "--json", "result.json")
    read_until(run, "profile: timing")
    assert json.loads(second("runs", "--json", "-").stdout)["runs"][0]["state"] == "running"
    run.kill()
    said += run.communicate()
    [stored] = json.loads(second("runs", "--json", "-").stdout)["runs"]
    assert (stored["state"], stored["target"]["function"]) == ("interrupted", "common")
    assert not list((program.home / ".local").rglob("runs.sqlite"))
    dump = postgres.dump(database)
    assert stored["run_id"] in dump
    assert SECRET not in dump
    assert SECRET.encode().hex() not in dump

    run = second.start("resume", "latest")
    read_until(run, "profile: timing")
    postgres.stop()
    hold.unlink()
    try:
        out, err = run.communicate(timeout=240)
    finally:
        postgres.start()
    said += [out, err]
    assert run.returncode == 1
    last = err.splitlines()[-1]
    assert last.startswith("error: The connection to the run store postgresql://runner@127.0.0.1"), err
    assert f"`afterburner-agent resume {stored['run_id']}` continues" in last

    done = first("resume", stored["run_id"])
    said += [done.stdout, done.stderr]
    assert done.returncode == 0, done.stderr
    assert "resuming run" in done.stderr
    document = json.loads((program.home / "result.json").read_text())
    assert document["run_id"] == stored["run_id"]
    assert document["decision"] == "improved", document["summary"]
    shown = second("show", "latest")
    said += [shown.stdout, shown.stderr]
    assert "Improved  names.py common" in shown.stdout
    for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
        assert postgres.execute(database, f"SELECT count(*) FROM afterburner.{table}") == [(0,)]  # noqa: S608
    assert SECRET not in "".join(said)
    assert SECRET not in (program.home / "result.json").read_text()
    for path in (*(program.home / ".local").rglob("*"), *(tmp_path / "another machine").rglob("*")):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path

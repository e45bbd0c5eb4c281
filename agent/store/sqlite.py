"""The run store as one SQLite file of the state folder."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterburner.agent.errors import RunStoreError
from afterburner.agent.sqlite_files import make_private, write_ahead
from afterburner.agent.store import lock
from afterburner.sandbox.folders import state_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.checkpoint.serde.base import SerializerProtocol

    from afterburner.agent.store.database import Statement

FILE_NAME = "runs.sqlite"
BUSY_TIMEOUT_S = 30.0
READ_TIMEOUT_S = 2.0  # of read-only lookups
VERSION = 1  # of the tables
_CHECKPOINT_TABLES = ("checkpoints", "writes")
_RUNS = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY,
    format INTEGER NOT NULL,
    begun_s REAL NOT NULL,
    file TEXT NOT NULL,
    function TEXT,
    model TEXT NOT NULL,
    asked TEXT NOT NULL,
    target BLOB NOT NULL,
    prepared BLOB,
    tests_begun INTEGER NOT NULL DEFAULT 0,
    decision TEXT,
    gain REAL,
    result BLOB
)
"""


def database_path() -> Path:
    """Where it lies."""
    return state_folder() / FILE_NAME


@dataclass(frozen=True, slots=True)
class SqliteDatabase:
    """See `Database`. Who works on a run is told by locks on files beside this one."""

    path: Path
    connection: sqlite3.Connection

    @property
    def _claims(self) -> Path:
        return self.path.parent / "running"

    def read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that a query finds."""
        with _told_plainly(self.path):
            return self.connection.execute(query, values).fetchall()

    def write(self, *statements: Statement) -> None:
        """Carry out all of these or none."""
        with _told_plainly(self.path), self.connection:
            for statement, values in statements:
                self.connection.execute(statement, values)

    def checkpoint_tables(self) -> tuple[str, ...]:
        """LangGraph makes them with the first run."""
        [[found]] = self.read("SELECT count(*) FROM sqlite_master WHERE name IN (?, ?)", *_CHECKPOINT_TABLES)
        return _CHECKPOINT_TABLES if found == len(_CHECKPOINT_TABLES) else ()

    def claimed(self, run_id: str) -> AbstractContextManager[None]:
        """Keep every other process off a run."""
        return lock.claimed(self._claims, run_id)

    def claimed_among(self, run_ids: Iterable[str]) -> set[str]:
        """Those that a process works on."""
        return {run_id for run_id in run_ids if lock.is_claimed(self._claims, run_id)}

    def drop_claim(self, run_id: str) -> None:
        """Take away the file that the lock of a killed process has left."""
        lock.drop(self._claims, run_id)

    @contextmanager
    def checkpointer(self, serde: SerializerProtocol) -> Iterator[BaseCheckpointSaver[str]]:
        """LangGraph's own, with a connection to itself."""
        from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: PLC0415 - heavy

        with _told_plainly(self.path), _connected(self.path) as connection:
            saver = SqliteSaver(connection, serde=serde)
            saver.setup()
            yield saver


@contextmanager
def open_sqlite(folder: Path | None = None) -> Iterator[SqliteDatabase]:
    """Open it in a folder, else in the state folder, made anew where it is not there; only its owner may read it.

    Raises:
        RunStoreError: see `open_database`.
    """
    path = _path_in(folder)
    try:
        make_private(path)
    except OSError as error:
        raise RunStoreError(
            f"The run cannot be stored in {path}: {error.strerror or error}. Set XDG_STATE_HOME to a folder that you "
            "may write to."
        ) from error
    with _told_plainly(path), _connected(path) as connection:
        connection.execute("PRAGMA secure_delete = ON")  # inputs may be private: what is deleted is to be gone
        if _version(path, connection) < VERSION:
            write_ahead(connection, BUSY_TIMEOUT_S)
            with connection:
                connection.execute(_RUNS)
                connection.execute(f"PRAGMA user_version = {VERSION}")
        yield SqliteDatabase(path, connection)


@contextmanager
def open_existing_sqlite(folder: Path | None = None) -> Iterator[SqliteDatabase | None]:
    """Open it for reading alone; None where it is not there. A writer that is in the way is not waited for long.

    Raises:
        RunStoreError: it cannot be read, or a newer version of this program has written it.
    """
    path = _path_in(folder).absolute()
    if not path.exists():
        yield None
        return
    address = f"{path.as_uri()}?mode=ro"
    with (
        _told_plainly(path),
        closing(sqlite3.connect(address, uri=True, check_same_thread=False, timeout=READ_TIMEOUT_S)) as connection,
    ):
        has_tables = _version(path, connection) == VERSION  # another process may be about to make them
        yield SqliteDatabase(path, connection) if has_tables else None


def _path_in(folder: Path | None) -> Path:
    return folder / FILE_NAME if folder is not None else database_path()


def _version(path: Path, connection: sqlite3.Connection) -> int:
    """The version of the tables; 0: there are none yet.

    Raises:
        RunStoreError: it is newer than this program.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > VERSION:
        raise RunStoreError(
            f"The run store {path} was written by a newer version of this program. Use that version, or set "
            "XDG_STATE_HOME to keep runs somewhere else."
        )
    return version


def _connected(path: Path) -> AbstractContextManager[sqlite3.Connection]:
    return closing(sqlite3.connect(path, check_same_thread=False, timeout=BUSY_TIMEOUT_S))


@contextmanager
def _told_plainly(path: Path) -> Iterator[None]:
    """Turn an error of SQLite into one that says what to do.

    Raises:
        RunStoreError: in its place.
    """
    try:
        yield
    except sqlite3.Error as error:
        if isinstance(error, sqlite3.OperationalError) and "full" in str(error):
            advice = "Make room on that disk; `afterburner-agent resume` then continues the run"
        elif isinstance(error, sqlite3.OperationalError):
            advice = "Check the folder and its disk, or set XDG_STATE_HOME to another"
        else:
            advice = "Move the file away, or set XDG_STATE_HOME: what it holds cannot be read"
        raise RunStoreError(f"The run store {path} cannot be used: {error}. {advice}.") from error

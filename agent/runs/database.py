"""The one SQLite file of the state folder, which the checkpoints of runs and the runs themselves lie in."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from afterburner.agent.errors import RunStoreError
from afterburner.sandbox.folders import state_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BUSY_TIMEOUT_S = 30.0
VERSION = 1  # of the tables
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
    return state_folder() / "runs.sqlite"


@contextmanager
def open_database() -> Iterator[sqlite3.Connection]:
    """Open it, made anew where it is not there; only its owner may read it.

    An error of SQLite inside the block is told as one of the store.

    Raises:
        RunStoreError: it cannot be made, read or written, or a newer version of this program has written it.
    """
    path = database_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        path.chmod(0o600)  # earlier versions left that to the umask
    except OSError as error:
        raise RunStoreError(
            f"The run cannot be stored in {path}: {error.strerror or error}. Set XDG_STATE_HOME to a folder that you "
            "may write to."
        ) from error
    with told_plainly(path), closing(sqlite3.connect(path, check_same_thread=False, timeout=BUSY_TIMEOUT_S)) as opened:
        opened.execute("PRAGMA secure_delete = ON")  # inputs may be private: what is deleted is to be gone
        [version] = opened.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise RunStoreError(
                f"The run store {path} was written by a newer version of this program. Use that version, or set "
                "XDG_STATE_HOME to keep runs somewhere else."
            )
        if version < VERSION:
            with opened:
                opened.execute(_RUNS)
                opened.execute(f"PRAGMA user_version = {VERSION}")
        yield opened


@contextmanager
def told_plainly(path: Path) -> Iterator[None]:
    """Turn an error of SQLite into one that says what to do.

    Raises:
        RunStoreError: in its place.
    """
    try:
        yield
    except sqlite3.Error as error:
        if isinstance(error, sqlite3.OperationalError) and "full" in str(error):
            advice = "Make room on that disk; `afterburner-agent resume` then goes on with the run"
        elif isinstance(error, sqlite3.OperationalError):
            advice = "Check the folder and its disk, or set XDG_STATE_HOME to another"
        else:
            advice = "Move the file away, or set XDG_STATE_HOME: what it holds cannot be read"
        raise RunStoreError(f"The run store {path} cannot be used: {error}. {advice}.") from error

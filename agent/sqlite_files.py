"""What SQLite leaves to those who share a file among threads and processes."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TRIES = 100


def make_private(path: Path) -> None:
    """Make an empty file that only its owner may read, and its folder, where they are not there yet.

    A file that is there is not opened: closing it would take this process's locks off, with which SQLite keeps other
    processes from clearing away the log that is being written (https://sqlite.org/howtocorrupt.html, 2.2).

    Raises:
        OSError: it cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    path.chmod(0o600)  # earlier versions left that to the umask


def write_ahead(connection: sqlite3.Connection, patience_s: float) -> None:
    """Switch the file to a write-ahead log, under which readers and a writer do not wait for each other.

    Only one process can switch a file, and SQLite does not make the others wait but turns them away.

    Args:
        connection: to the file.
        patience_s: how long others may be in the way.
    """
    for _ in range(_TRIES):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            time.sleep(patience_s / _TRIES)
        else:
            return

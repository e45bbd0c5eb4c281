"""SQLite's write-ahead log, switched on by several processes at once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

_TRIES = 100


def write_ahead(connection: sqlite3.Connection, patience_s: float) -> None:
    """Switch the file to a write-ahead log, under which readers and a writer do not wait for each other.

    Only one process can switch a file, and SQLite does not make the others wait but turns them away.

    Args:
        connection: to the file.
        patience_s: how long others may be in the way.
    """
    import sqlite3  # noqa: PLC0415 - who asks no model needs no store

    for _ in range(_TRIES):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            time.sleep(patience_s / _TRIES)
        else:
            return

"""Where runs are kept: one SQLite file, written by LangGraph's checkpointer."""

from __future__ import annotations

import secrets
import sqlite3
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from afterburner.agent.state import CHECKPOINTED_TYPES
from afterburner.sandbox import AfterburnerError
from afterburner.sandbox.folders import state_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langgraph.checkpoint.sqlite import SqliteSaver

BUSY_TIMEOUT_S = 30.0
KEPT_RUNS = 100  # about 10 MB


def new_run_id() -> str:
    """A fresh id that sorts by time: LangGraph accumulates when a finished thread is invoked again."""
    return f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"


@contextmanager
def open_checkpointer() -> Iterator[SqliteSaver]:
    """Open the store that makes every run resumable; the oldest runs beyond `KEPT_RUNS` go.

    Raises:
        AfterburnerError: the folder cannot be written, or the store cannot be used.
    """
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer  # noqa: PLC0415 - heavy
    from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: PLC0415 - heavy

    path = state_folder() / "runs.sqlite"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(path, check_same_thread=False, timeout=BUSY_TIMEOUT_S)
    except (OSError, sqlite3.Error) as error:
        raise AfterburnerError(
            f"The run cannot be stored in {path}: {error}. Set XDG_STATE_HOME to a folder that you may write to."
        ) from error
    with closing(connection):
        serializer = JsonPlusSerializer(allowed_msgpack_modules=CHECKPOINTED_TYPES)
        saver = SqliteSaver(connection, serde=serializer)
        try:
            saver.setup()
            _forget_old_runs(connection, saver)
        except sqlite3.Error as error:
            raise AfterburnerError(
                f"The run store {path} cannot be used: {error}. Move the file away, or set XDG_STATE_HOME."
            ) from error
        yield saver


def _forget_old_runs(connection: sqlite3.Connection, saver: SqliteSaver) -> None:
    """Ids sort by time."""
    query = "SELECT DISTINCT thread_id FROM checkpoints ORDER BY thread_id DESC LIMIT -1 OFFSET ?"
    for (run_id,) in connection.execute(query, (KEPT_RUNS,)).fetchall():
        saver.delete_thread(run_id)

"""Where runs and their checkpoints are kept: a file of SQLite, or a PostgreSQL server that a variable names."""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from afterburner.agent.errors import RunStoreError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager

    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.checkpoint.serde.base import SerializerProtocol

    Statement = tuple[str, tuple[object, ...]]  # SQL with a `?` for each of the values

STORE_VARIABLE = "AFTERBURNER_STORE"
_CHECKPOINTER = "langgraph.checkpoint.postgres"
SCHEMES = ("postgresql://", "postgres://")


class Database(Protocol):
    """An open store. Every method raises `RunStoreError` where the store fails."""

    def read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that a query finds."""

    def write(self, *statements: Statement) -> None:
        """Carry out all of these or none; when this returns they are on the disk."""

    def checkpoint_tables(self) -> tuple[str, ...]:
        """The tables that hold the checkpoints of runs by `thread_id`; none before LangGraph has made them."""

    def claimed(self, run_id: str) -> AbstractContextManager[None]:
        """Keep every other process off a run, until the block ends or this process does.

        Raises:
            RunInUseError: another process works on it.
        """

    def claimed_among(self, run_ids: Iterable[str]) -> set[str]:
        """Those that a process works on."""

    def drop_claim(self, run_id: str) -> None:
        """Take away what the claim of a killed process has left."""

    def checkpointer(self, serde: SerializerProtocol) -> AbstractContextManager[BaseCheckpointSaver[str]]:
        """LangGraph's own checkpointer of this store."""


@contextmanager
def open_database() -> Iterator[Database]:
    """Open the store, made anew where it is not there. An error of it inside the block is told as one of the store.

    Raises:
        RunStoreError: it cannot be made, reached, read or written, or a newer version of this program has written it.
        SettingsError: AFTERBURNER_STORE names no store.
    """
    url = os.environ.get(STORE_VARIABLE, "")
    if not url:
        from afterburner.agent.store.sqlite import open_sqlite  # noqa: PLC0415 - one of the two is needed

        with open_sqlite() as file:
            yield file
        return
    if not url.startswith(SCHEMES):
        raise SettingsError(  # without the value: it may hold a password
            f"{STORE_VARIABLE} is no address of a PostgreSQL server. Write it as {SCHEMES[0]}USER@HOST/DATABASE, or "
            "unset it to keep runs in a file here."
        )
    try:
        if find_spec(_CHECKPOINTER) is None:
            raise ModuleNotFoundError(f"there is no {_CHECKPOINTER}")
        from afterburner.agent.store.postgres import open_postgres  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise RunStoreError(
            f"{STORE_VARIABLE} needs packages that are not here: {' '.join(str(error).split()).rstrip('.')}. Install "
            "them: pip install '.[postgres]' in the clone, or unset the variable to keep runs in a file."
        ) from error
    with open_postgres(url) as server:
        yield server

"""Opens the store of runs: a file of SQLite, or a PostgreSQL server that a variable names."""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from afterburner.agent.errors import RunStoreError, SettingsError
from afterburner.agent.store.sqlite import open_existing_sqlite, open_sqlite
from afterburner.sandbox.extras import install_command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from afterburner.agent.store.database import Database

STORE_VARIABLE = "AFTERBURNER_STORE"
SCHEMES = ("postgresql://", "postgres://")
_CHECKPOINTER = "langgraph.checkpoint.postgres"


@contextmanager
def open_database(folder: Path | None = None) -> Iterator[Database]:
    """Open the user's store, or one in a folder, made anew where it is not there; its errors are told as the store's.

    Raises:
        RunStoreError: it cannot be made, reached, read or written, or a newer version of this program has written it.
        SettingsError: AFTERBURNER_STORE names no store.
    """
    with _opened(folder, creates=True) as database:
        assert database is not None  # noqa: S101 - narrows the type; it was made
        yield database


def open_existing_database(folder: Path | None = None) -> AbstractContextManager[Database | None]:
    """Open the user's store, or one in a folder, to look something up; None where there is none: none is made.

    Raises:
        RunStoreError: it cannot be reached or read, or a newer version of this program has written it.
        SettingsError: AFTERBURNER_STORE names no store.
    """
    return _opened(folder, creates=False)


@contextmanager
def _opened(folder: Path | None, *, creates: bool) -> Iterator[Database | None]:
    url = os.environ.get(STORE_VARIABLE, "")
    if folder is not None or not url:
        with open_sqlite(folder) if creates else open_existing_sqlite(folder) as file:
            yield file
        return
    if not url.startswith(SCHEMES):
        raise SettingsError(  # without the value: it may hold a password
            f"{STORE_VARIABLE} is not the address of a PostgreSQL server. Write it as "
            f"{SCHEMES[0]}USER@HOST/DATABASE, or unset it to keep runs in a file here."
        )
    try:
        if find_spec(_CHECKPOINTER) is None:
            raise ModuleNotFoundError(f"there is no {_CHECKPOINTER}")
        from afterburner.agent.store.postgres import open_postgres  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise RunStoreError(
            f"{STORE_VARIABLE} needs packages that are not here: {' '.join(str(error).split()).rstrip('.')}. Unset the "
            f"variable to keep runs in a file, or install them: {install_command('postgres')}"
        ) from error
    with open_postgres(url, creates=creates) as server:
        yield server

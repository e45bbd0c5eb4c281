"""Which stored runs improved a file: a look that loads little, before one that reads their results."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from afterburner.agent.loop.results import RunDecision
from afterburner.agent.store.connect import open_existing_database
from afterburner.agent.store.stored_run import FORMAT

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.agent.store.database import Database

OF_ONE_FUNCTION = 3


def has_improvements(path: str | Path) -> bool:
    """Whether the user's store holds a proven rewrite of a function of a file.

    Raises:
        RunStoreError: see `Session.improvements`.
    """
    with open_existing_database() as database:
        return database is not None and bool(improved_run_ids(database, str(path)))


def improved_run_ids(database: Database, path: str) -> list[str]:
    """The ids of the runs that improved a function of a file, the newest first, a few for each function."""
    names = {os.path.abspath(path), os.path.realpath(path)}  # noqa: PTH100 - Path.resolve would follow links
    query = (
        f"SELECT run_id, function FROM runs WHERE file IN ({', '.join('?' * len(names))}) AND decision = ? "  # noqa: S608
        "AND format = ? AND function IS NOT NULL AND result IS NOT NULL ORDER BY run_id DESC"
    )
    by_function: dict[str, list[str]] = {}
    for run_id, function in database.read(query, *names, RunDecision.IMPROVED.value, FORMAT):
        by_function.setdefault(function, []).append(run_id)
    return sorted((each for ids in by_function.values() for each in ids[:OF_ONE_FUNCTION]), reverse=True)

"""Files that are written whole, and folders that one process at a time works on."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from afterburner.evals.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK = ".lock"


def write_whole(path: Path, text: str) -> None:
    """Write all of a file or nothing.

    Raises:
        OSError: it cannot be written.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    unfinished.write_text(text, "utf-8")
    unfinished.replace(path)


def cannot_write(folder: Path, error: OSError) -> EvaluationError:
    """What a person is told whose disk is full, or whose folder is not writable."""
    return EvaluationError(f"{folder} cannot be written: {error.strerror or error}.")


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Keep every other process out of a folder while the block runs.

    Raises:
        EvaluationError: another one works on it, or it cannot be written.
    """
    try:
        lock = (folder / LOCK).open("a")
    except OSError as error:
        raise cannot_write(folder, error) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EvaluationError(f"Another process works on {folder}. Wait for it, or stop it.") from None
        yield

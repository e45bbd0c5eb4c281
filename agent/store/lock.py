"""Who works on a run: a lock on a file, which the kernel takes off when its process ends, however that ends."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from afterburner.agent.errors import RunInUseError, RunStoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE_S = 1.0  # who only looks whether a run is worked on holds the lock for a moment
PAUSE_S = 0.05


@contextmanager
def claimed(folder: Path, run_id: str) -> Iterator[None]:
    """Keep every other process off a run.

    Raises:
        RunInUseError: another process works on it.
        RunStoreError: the folder cannot be written.
    """
    path = folder / run_id
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = _lock(path)
    except OSError as error:
        raise RunStoreError(f"{path} cannot be written: {error.strerror or error}. Set XDG_STATE_HOME.") from error
    if descriptor is None:
        raise RunInUseError(f"Run {run_id} is being worked on by another process. Wait for it, or stop it first.")
    try:
        yield
    finally:
        if _is_at(path, descriptor):  # a run that was forgotten has none, and another process may have made its own
            path.unlink(missing_ok=True)
        os.close(descriptor)


def is_claimed(folder: Path, run_id: str) -> bool:
    """Whether a process works on it."""
    try:
        descriptor = os.open(folder / run_id, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not _take(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def drop(folder: Path, run_id: str) -> None:
    """Take away the file that the lock of a killed run has left."""
    with suppress(OSError):  # it is empty and harms nobody
        (folder / run_id).unlink(missing_ok=True)


def _lock(path: Path) -> int | None:
    """A descriptor that holds the lock; None if it is another's."""
    until_s = time.monotonic() + PATIENCE_S
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if _take(descriptor, fcntl.LOCK_EX):
            if _is_at(path, descriptor):
                return descriptor
        elif time.monotonic() > until_s:
            os.close(descriptor)
            return None
        os.close(descriptor)  # who held it has taken the file away, or may soon
        time.sleep(PAUSE_S)


def _take(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False

"""Temporary folders that never outlive their process for long: a killed one's are removed by the next."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.errors import AfterburnerError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def workspace() -> Iterator[Path]:
    """A fresh folder, mode 700, that is removed at the end.

    It lies under `$XDG_RUNTIME_DIR` or the temporary folder. Its lock is held as long as it is in use; folders
    whose lock is free were left by processes that were killed, and are removed first.

    Raises:
        AfterburnerError: no folder can be made, or somebody else owns the place where ours would be.
    """
    try:
        base, *others = _bases()
        for other in others:
            if other.is_dir():
                _sweep(other)
        folder, lock = _create_again(base)
    except OSError as error:
        raise AfterburnerError(
            f"No temporary folder could be made: {error}. Point TMPDIR to a folder that can be written."
        ) from error
    try:
        yield folder
    finally:
        _remove(folder)
        os.close(lock)
        with suppress(OSError):  # another run still uses the base
            folder.parent.rmdir()


def _bases() -> list[Path]:
    """Where workspaces may lie, best first. All are swept, as the environment may have been another last time."""
    bases = [Path(tempfile.gettempdir()) / f"afterburner-agent-{os.geteuid()}"]
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if Path(runtime).is_absolute() and os.access(runtime, os.W_OK) and Path(runtime).stat().st_uid == os.geteuid():
        bases.insert(0, Path(runtime) / "afterburner-agent")
    return bases


def _create_again(base: Path) -> tuple[Path, int]:
    """Creates, and once more if a run that ended just then took the base away."""
    with suppress(FileNotFoundError):
        return _create(base)
    return _create(base)


def _create(base: Path) -> tuple[Path, int]:
    """Sweeps, makes a folder and locks it, while nobody else sweeps."""
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _only_one(base):
        _sweep_locked(base)
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=base))
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return folder, lock


def _sweep(base: Path) -> None:
    with _only_one(base):
        _sweep_locked(base)


@contextmanager
def _only_one(base: Path) -> Iterator[None]:
    """Holds the lock of the base itself, which must be a folder of ours that nobody else can write."""
    gate = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        status = os.fstat(gate)
        if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o022:
            raise AfterburnerError(
                f"{base} belongs to somebody else or is open to others. Remove it, or point TMPDIR elsewhere."
            )
        fcntl.flock(gate, fcntl.LOCK_EX)
        yield
    finally:
        os.close(gate)


def _sweep_locked(base: Path) -> None:
    for folder in base.glob("run-*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:  # removed by its owner just now
            continue
        try:
            with suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(folder)
        finally:
            os.close(lock)


def _remove(folder: Path) -> None:
    """Removes a tree, also one whose folders (copied from a read-only source) cannot be written."""
    for parent, folders, _ in os.walk(folder):
        for name in folders:
            path = Path(parent, name)
            if not path.is_symlink():
                with suppress(OSError):
                    path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)

"""Files that are written as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def replace_file(path: Path, data: bytes, check_unchanged: Callable[[], None]) -> None:
    """Write over a file atomically. Mode and, where permitted, owner are kept.

    Args:
        path: the file itself, no symbolic link to it.
        data: what it will hold.
        check_unchanged: raises if the file has changed; called just before the replacement.

    Raises:
        OSError: the file or its folder cannot be written.
    """
    if not os.access(path, os.W_OK, effective_ids=True):
        raise PermissionError(errno.EACCES, "it is read-only")
    temporary = _written_beside(path, data)
    try:
        check_unchanged()
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def create_file(path: Path, data: bytes) -> None:
    """Create a new file atomically.

    Raises:
        FileExistsError: it exists.
        OSError: it cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix=f".{path.name[:100]}.", dir=path.parent) as folder:
        whole = Path(folder, "whole")
        with whole.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(whole)  # unlike a rename, this replaces nothing
        except FileExistsError:
            raise
        except OSError:  # not every file system has hard links
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, "it has appeared in the meantime") from None
            whole.rename(path)
    _sync_folder(path.parent)


def _written_beside(path: Path, data: bytes) -> Path:
    """Write a complete temporary file into the same folder, with the mode and owner of `path`."""
    status = path.stat()
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            with contextlib.suppress(PermissionError):  # another's file, in a folder that we may write to
                os.fchown(file.fileno(), status.st_uid, status.st_gid)
            os.fchmod(file.fileno(), stat.S_IMODE(status.st_mode))  # last: a change of owner clears set-id bits
            os.fsync(file.fileno())
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _sync_folder(folder: Path) -> None:
    """Sync the folder, so that the new name survives a crash, where the file system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

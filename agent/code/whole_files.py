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


def replace_file(path: Path, data: bytes, still_as_read: Callable[[], None]) -> None:
    """Write over a file: all of it or nothing. Mode and, where permitted, owner are kept.

    Args:
        path: the file itself, no symbolic link to it.
        data: what it will hold.
        still_as_read: raises what it likes if the file is not what it was; called last of all.

    Raises:
        OSError: the file or its folder cannot be written.
    """
    if not os.access(path, os.W_OK, effective_ids=True):
        raise PermissionError(errno.EACCES, "it is read-only")
    temporary = _written_beside(path, data)
    try:
        still_as_read()
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def create_file(path: Path, data: bytes) -> None:
    """Make a file that is not there yet, with all of its content or not at all.

    Raises:
        FileExistsError: it is there by now.
        OSError: it cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix=f".{path.name[:100]}.", dir=path.parent) as folder:
        whole = Path(folder, "whole")
        with whole.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            raise FileExistsError(errno.EEXIST, "it is there by now")
        whole.replace(path)
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
    """Have the new name on the disk too. Not every file system can; the file itself is whole in any case."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

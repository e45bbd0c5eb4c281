"""Reads the file that is to be optimised, whatever its language."""

from __future__ import annotations

import difflib
import stat
from contextlib import suppress
from pathlib import Path

from afterburner.agent.errors import TargetError

MAX_SOURCE_BYTES = 1_000_000


def read_bytes(path: Path) -> bytes:
    """Read a regular file of at most `MAX_SOURCE_BYTES`.

    Raises:
        TargetError: there is no such file, or it cannot be read.
    """
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise TargetError(f"{path} is a directory. Name one file.")
        if not stat.S_ISREG(status.st_mode):
            raise TargetError(f"{path} is not a regular file.")
        if status.st_size > MAX_SOURCE_BYTES:
            raise TargetError(f"{path} is too large: {status.st_size:,} bytes, the limit is {MAX_SOURCE_BYTES:,}.")
        return path.read_bytes()
    except FileNotFoundError:
        raise TargetError(f"No such file: {path}.{similar_name(path)} Relative paths start at {Path.cwd()}.") from None
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise TargetError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def similar_name(path: Path) -> str:
    """A question that names a file beside the one that is not there; empty without one."""
    with suppress(OSError, ValueError):
        names = {each.stem: each.name for each in path.parent.iterdir() if each.suffix == path.suffix}
        for stem in difflib.get_close_matches(path.stem, names, n=1):
            return f" Did you mean {path.with_name(names[stem])}?"
    return ""

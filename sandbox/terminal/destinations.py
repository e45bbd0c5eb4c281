"""Where a command's results go: checked before the long work, written after it."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from afterburner.sandbox.errors import AfterburnerError, UsageError
from afterburner.sandbox.terminal.streams import write_all

STDOUT = "-"


def check_destination(option: str, place: str, source: Path, source_is: str) -> None:
    """Find out now what could not be written later; `-`, stdout, always can.

    Args:
        option: the option that named the place, for messages.
        place: the file.
        source: a file that must not be written over.
        source_is: what that is: `the file to optimise`.

    Raises:
        UsageError: the source itself, or a place that cannot be written.
    """
    if place == STDOUT:
        return
    try:
        if same_place(place, str(source)):
            raise UsageError(f"{option} {place}: this is {source_is}; name another one.")
        check_writable(option, Path(place))
    except (OSError, ValueError) as error:  # a name that is too long, a folder that may not be entered
        raise UsageError(f"{option} {place}: cannot be written: {error}") from error


def same_place(one: str, other: str) -> bool:
    """Whether two names lead to one file, also through symbolic or hard links."""
    if one == other or Path(one).resolve() == Path(other).resolve():
        return True
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def check_writable(option: str, place: Path) -> None:
    """Raises a UsageError if a file could not be written, or not be made."""
    if place.is_dir():
        raise UsageError(f"{option} {place}: this is a folder; name a file in it.")
    if not place.exists():
        check_folder(option, place)
    elif not os.access(place, os.W_OK):
        raise UsageError(f"{option} {place}: no permission to write this file.")


def check_folder(option: str, place: Path) -> None:
    """Raises a UsageError if a file could not be made in its folder."""
    folder = place.resolve().parent
    if not folder.is_dir():
        raise UsageError(f"{option} {place}: there is no folder {folder}; create it first.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"{option} {place}: no permission to write in the folder {folder}.")
    try:
        with tempfile.TemporaryFile(dir=folder, prefix=".afterburner-"):  # /proc allows it, and takes no files
            pass
    except OSError as error:
        raise UsageError(
            f"{option} {place}: no file can be made in the folder {folder}: {error.strerror or error}."
        ) from error


def write_result(option: str, place: str, data: bytes) -> None:
    """Write a result to a file or to stdout, byte for byte.

    Raises:
        AfterburnerError: the place cannot be written any more.
    """
    if place == STDOUT:
        sys.stdout.flush()
        write_all(sys.stdout.buffer, data)
        sys.stdout.flush()
        return
    try:
        Path(place).write_bytes(data)
    except OSError as error:
        raise AfterburnerError(f"{option} {place}: cannot be written: {error.strerror or error}.") from error

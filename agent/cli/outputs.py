"""Where a run's results go: checked before the long work, written after it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from afterburner.sandbox import AfterburnerError, UsageError

STDOUT = "-"


@dataclass(frozen=True, slots=True)
class Outputs:
    """What the user wants written: the file itself, the diff, the JSON. `-` is stdout."""

    apply: bool = False
    yes: bool = False
    patch: str | None = None
    json: str | None = None

    @property
    def take_stdout(self) -> bool:
        """Whether stdout belongs to a program that reads the diff or the JSON; people then read stderr."""
        return STDOUT in (self.patch, self.json)

    def check(self, target: Path) -> None:
        """Find out now what could not be written later.

        Raises:
            UsageError: two results for one place, the target itself as a place, or a place that cannot be written.
        """
        if self.patch is not None:
            _check("--patch", self.patch, target)
        if self.json is not None:
            _check("--json", self.json, target)
        if self.patch is not None and self.json is not None and _same_place(self.patch, self.json):
            raise UsageError("--patch and --json name the same place; give each its own.")
        if self.apply and target.is_file():
            _check_writable("--apply", target)
            _check_folder("--apply", target)


def write_result(option: str, place: str, data: bytes) -> None:
    """Write a result to a file or to stdout, byte for byte.

    Raises:
        AfterburnerError: the place cannot be written any more.
    """
    if place == STDOUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return
    try:
        Path(place).write_bytes(data)
    except OSError as error:
        raise AfterburnerError(f"{option} {place}: cannot be written: {error.strerror or error}.") from error


def _check(option: str, place: str, target: Path) -> None:
    if place == STDOUT:
        return
    try:
        if _same_place(place, str(target)):
            raise UsageError(f"{option} {place}: this is the file to optimise; name another one.")
        _check_writable(option, Path(place))
    except (OSError, ValueError) as error:  # a name that is too long, a folder that may not be entered
        raise UsageError(f"{option} {place}: cannot be written: {error}") from error


def _same_place(one: str, other: str) -> bool:
    return one == other or Path(one).resolve() == Path(other).resolve()


def _check_writable(option: str, place: Path) -> None:
    if place.is_dir():
        raise UsageError(f"{option} {place}: this is a folder; name a file in it.")
    if not place.exists():
        _check_folder(option, place)
    elif not os.access(place, os.W_OK):
        raise UsageError(f"{option} {place}: no permission to write this file.")


def _check_folder(option: str, place: Path) -> None:
    folder = place.resolve().parent
    if not folder.is_dir():
        raise UsageError(f"{option} {place}: there is no folder {folder}; create it first.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"{option} {place}: no permission to write in the folder {folder}.")

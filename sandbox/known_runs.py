"""Keeps what came of untimed runs of one program for the rest of the day, so that nothing is found out twice.

A report is kept under a hash of everything that it depends on: the program, what it was given, and its surroundings. It
lies in a file of its own, which is there as a whole or not at all. A file that cannot be read is replaced.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ConfigDict, TypeAdapter

from afterburner.sandbox.fingerprints import feed
from afterburner.sandbox.types import CaseReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.sandbox.fingerprints import Fingerprints
    from afterburner.sandbox.types import CallCase, Limits, Program, TestCase

KEPT_S = 86_400.0  # since it was last asked for: keys hold the day
MOST_BYTES = 512 * 1024 * 1024  # of all reports together
MOST_REPORT_BYTES = 32 * 1024 * 1024  # of one, before it is packed
_FORM = 1  # a new number for another form of the files


@dataclass(slots=True)
class KnownRuns:
    """What is known of earlier runs, as one job sees it. Several threads may use it at once.

    Args:
        folder: where the files lie; made when the first is kept.
        fingerprints: of what the programs of this job find.
        recalled: how many reports were found so far.
    """

    folder: Path
    fingerprints: Fingerprints
    recalled: int = 0
    _is_renewing: bool = field(default=False, init=False)
    _is_tidy: bool = field(default=False, init=False)

    def key(
        self, program: Program, cases: Sequence[TestCase | CallCase], limits: Limits, backend: tuple[str, str]
    ) -> str | None:
        """The hash of all that a report depends on; None if its surroundings cannot be looked at.

        Limits of time do not count: only what ended within them is kept.
        """
        if program.environment is None:
            return None
        found = hashlib.sha256()
        feed(found, (_FORM, backend, program.language, program.source, program.entry, program.path, program.arguments))
        feed(found, tuple(cases))
        feed(found, (limits.memory_kib, limits.output_bytes, limits.processes, limits.file_kib, limits.open_files))
        try:
            feed(found, self.fingerprints.of(program.environment))
        except OSError:
            return None
        return found.hexdigest()

    def find(self, key: str, number: int) -> tuple[CaseReport, ...] | None:
        """So many reports that are kept under this key; None if they are not there."""
        self._tidy_up()
        if self._is_renewing:
            return None
        path = self._path(key)
        try:
            cases = _form().validate_json(zlib.decompressobj().decompress(path.read_bytes(), MOST_REPORT_BYTES))
            os.utime(path)
        except (OSError, ValueError, zlib.error):  # of which a ValidationError of pydantic is one
            return None
        if len(cases) != number:
            return None
        self.recalled += 1
        return cases

    def keep(self, key: str, cases: Sequence[CaseReport]) -> None:
        """Keep reports. If the disk is full or the folder cannot be written, they are not kept, and nothing is said."""
        data = _form().dump_json(tuple(cases))
        if len(data) > MOST_REPORT_BYTES:
            return
        path = self._path(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(zlib.compress(data, level=1))
                Path(name).replace(path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise

    def renew(self) -> None:
        """Ignore the kept reports from here on, and replace them: what they say does not hold any more."""
        self._is_renewing, self.recalled = True, 0

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key

    def _tidy_up(self) -> None:
        """Delete, once for each job, what nobody asked for in a day, then the oldest until there is room."""
        if self._is_tidy:
            return
        self._is_tidy = True
        found = []
        for path in self.folder.glob("*/*"):
            with suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime, status.st_size, path))
        room, oldest_s = MOST_BYTES, time.time() - KEPT_S
        for used_s, size, path in sorted(found, reverse=True):
            room -= size
            if used_s < oldest_s or room < 0:
                with suppress(OSError):
                    path.unlink()


@cache
def _form() -> TypeAdapter[tuple[CaseReport, ...]]:
    return TypeAdapter(tuple[CaseReport, ...], config=ConfigDict(ser_json_bytes="base64", val_json_bytes="base64"))

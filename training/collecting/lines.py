"""A file that lines of JSON are appended to, and that survives a kill at any moment."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class LinesFile:
    """The file; any thread may append."""

    path: Path

    def mend(self) -> None:
        """Cut off a last line that a kill left unfinished.

        Raises:
            TrainingError: the file cannot be written.
        """
        try:
            if self.path.exists():
                os.truncate(self.path, self.path.read_bytes().rfind(b"\n") + 1)
        except OSError as error:
            raise self._unusable(error) from error

    def read(self) -> list[dict[str, Any]]:
        """Everything that was appended; nothing where there is no file.

        Raises:
            TrainingError: the file cannot be read, or was changed.
        """
        try:
            lines = self.path.read_text("utf-8").splitlines() if self.path.exists() else []
            return [json.loads(line) for line in lines]
        except (OSError, ValueError) as error:
            raise self._unusable(error) from error

    def append(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows, one a line.

        Raises:
            TrainingError: the file cannot be written.
        """
        data = "".join(json.dumps(row) + "\n" for row in rows).encode("ascii")
        try:
            with self.path.open("ab", buffering=0) as file:  # one write: lines of several threads do not mix
                while data:
                    data = data[file.write(data) :]
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> TrainingError:
        return TrainingError(f"{self.path} cannot be used: {error}. Make room or mend the file, and run it again.")

"""Remembers which functions earlier runs have tried, so that a schedule works through a whole repository."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from afterburner.agent import AfterburnerError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

MOST_REMEMBERED = 20_000
_RESTS = ", too short a time"
_MOST_BYTES = 16 * 1024 * 1024


class _Stored(BaseModel):
    model_config = ConfigDict(strict=True)

    schema_version: int
    tried: dict[str, str]


@dataclass(slots=True)
class Memory:
    """The functions that were tried, by `function_key`, with who tried them.

    A function is tried again when its text changes, or when another model or version of this program looks at it. One
    for which the time was too short rests once, so that others have a turn, and is then tried again.

    Attributes:
        tried: who tried each function, the latest last.
    """

    tried: dict[str, str] = field(default_factory=dict)

    def knows(self, key: str, who: str) -> bool:
        """Whether the same model and version have tried this function."""
        return self.tried.get(key) == who

    def remember(self, key: str, who: str) -> None:
        """Note that a function was tried."""
        self.tried.pop(key, None)
        self.tried[key] = who

    def wake(self, who: str) -> set[str]:
        """The functions that rest this time; they are no longer remembered."""
        resting = {key for key, by in self.tried.items() if by == who + _RESTS}
        for key in resting:
            del self.tried[key]
        return resting

    def let_rest(self, key: str, who: str) -> None:
        """Note that the time was too short for a function."""
        self.remember(key, who + _RESTS)

    @classmethod
    def read(cls, place: Path | None) -> Memory:
        """Read a memory; an empty one where there is none, or where the file cannot be used: then all is tried anew.

        Raises:
            UsageError: it is a folder, so it could not be written later.
        """
        if place is not None and place.is_dir():
            raise UsageError(f"--memory {place}: this is a folder; name a file in it.")
        if place is None or not place.is_file() or place.stat().st_size > _MOST_BYTES:
            return cls()
        try:
            stored = _Stored.model_validate_json(place.read_bytes())
        except (ValidationError, OSError):
            return cls()
        return cls(dict(stored.tried) if stored.schema_version == 1 else {})

    def write(self, place: Path) -> None:
        """Write it; of too many, the most recent are kept.

        Raises:
            AfterburnerError: the file cannot be written.
        """
        kept = dict(list(self.tried.items())[-MOST_REMEMBERED:])
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps({"schema_version": 1, "tried": kept}) + "\n", encoding="utf-8")
        except OSError as error:
            raise AfterburnerError(f"--memory {place}: cannot be written: {error.strerror or error}.") from error

"""Where a run's results go: the file itself, the diff, the JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.sandbox import UsageError
from afterburner.sandbox.commands.destinations import (
    STDOUT,
    check_destination,
    check_folder,
    check_writable,
    same_place,
)

if TYPE_CHECKING:
    from pathlib import Path


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
        for option, place in (("--patch", self.patch), ("--json", self.json)):
            if place is not None:
                check_destination(option, place, target, "the file to optimise")
        if self.patch is not None and self.json is not None and same_place(self.patch, self.json):
            raise UsageError("--patch and --json name the same place; give each its own.")
        if self.apply and target.is_file():
            check_writable("--apply", target)
            check_folder("--apply", target)

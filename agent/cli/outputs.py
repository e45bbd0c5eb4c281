"""Where a run's results go: the file itself, the diff, the JSON, the receipt, the picture, the recording."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
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
    """What the user wants written, and where; `-` is stdout."""

    apply: bool = False
    yes: bool = False
    patch: str | None = None
    json: str | None = None
    receipt: str | None = None
    growth_svg: str | None = None
    record: str | None = None  # written while the search goes on, so it is never stdout

    @property
    def take_stdout(self) -> bool:
        """Whether stdout belongs to a program that reads one of the results; people then read stderr."""
        return STDOUT in self.places().values()

    def places(self) -> dict[str, str]:
        """Each destination by its option."""
        options = {
            "--patch": self.patch,
            "--json": self.json,
            "--receipt": self.receipt,
            "--growth-svg": self.growth_svg,
            "--record": self.record,
        }
        return {option: place for option, place in options.items() if place is not None}

    def check(self, target: Path) -> None:
        """Find out now what could not be written later.

        Raises:
            UsageError: two results for one place, the target itself as a place, or a place that cannot be written.
        """
        if self.record == STDOUT:
            raise UsageError("--record needs a file: answers are appended to it as they come.")
        for option, place in self.places().items():
            check_destination(option, place, target, "the file to optimise")
        for (option, place), (other, other_place) in combinations(self.places().items(), 2):
            if same_place(place, other_place):
                raise UsageError(f"{option} and {other} name the same place; give each its own.")
        if self.apply and target.is_file():
            check_writable("--apply", target)
            check_folder("--apply", target)

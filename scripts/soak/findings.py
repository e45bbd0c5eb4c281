"""What a soak has found, and the table of it."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MOST_GROWTH = 0.1  # of the median of the last fifth of the runs over that of the second fifth
_LONGEST = 5  # programs that are named for the time they took together
_ENOUGH = 1000  # runs to judge growth by: before, what is compiled is still being collected
_SHOWN = 50  # lines of what is wrong


@dataclass(frozen=True)
class Ran:
    """One run, and the process that it was made by, after it.

    `wrong` says what the report should have said; it is empty if it did.
    """

    index: int
    name: str
    language: str
    is_attack: bool
    seconds: float  # since the report before
    wrong: str
    resident_kib: int
    descriptors: int


@dataclass
class Findings:
    """Grows while a soak goes on; can be told at any time."""

    runs: int = 0
    attacks: int = 0
    seconds: float = 0.0
    kills: int = 0
    looks: int = 0
    interrupted: bool = False
    seconds_of: dict[str, float] = field(default_factory=dict)  # by the name of the program
    languages: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)  # when it was first seen
    resident_kib: array[int] = field(default_factory=lambda: array("q"))
    descriptors: array[int] = field(default_factory=lambda: array("q"))
    killed_at: list[int] = field(default_factory=list)  # number of runs at each kill or stop
    notes: dict[str, str] = field(default_factory=dict)  # more rows of the table

    def add(self, ran: Ran, seed: int) -> None:
        """Takes a run of the process that lives on."""
        self.runs += 1
        self.attacks += ran.is_attack
        self.seconds += ran.seconds
        self.seconds_of[ran.name] = self.seconds_of.get(ran.name, 0.0) + ran.seconds
        self.resident_kib.append(ran.resident_kib)
        self.descriptors.append(ran.descriptors)
        self.judge(ran, seed)

    def judge(self, ran: Ran, seed: int) -> None:
        """Takes a run of whatever process; only its verdict counts."""
        if ran.wrong:
            self.wrong.append(f"{ran.name} (seed {seed}, run {ran.index}): {ran.wrong}")

    def look(self, when: str, left: Mapping[str, frozenset[str]]) -> None:
        """Takes what a look at the machine has found."""
        self.looks += 1
        for kind, things in left.items():
            for thing in sorted(things):
                self.left.setdefault(f"{kind}: {thing}", when)

    @property
    def failures(self) -> list[str]:
        """What went wrong, and what was left."""
        left = [f"left behind {when}: {thing}" for thing, when in self.left.items()]
        return [*(f"wrong: {line}" for line in self.wrong), *left]

    @property
    def complaints(self) -> list[str]:
        """What must not be; empty: all is well."""
        grown = [
            f"the {what} of the host process have grown by {growth(values):.1%}"
            for what, values in (("resident KiB", self.resident_kib), ("descriptors", self.descriptors))
            if len(values) >= _ENOUGH and growth(values) > MOST_GROWTH
        ]
        return self.failures + grown

    def table(self) -> Iterator[str]:
        """The lines of the table, and below it what is wrong."""
        longest = sorted(self.seconds_of, key=lambda name: -self.seconds_of[name])
        rows = {
            "runs": f"{self.runs} ({self.attacks} attacks), {self.runs / max(self.seconds, 1e-9):.1f} per second",
            "total by program": ", ".join(f"{name} {self.seconds_of[name]:.0f} s" for name in longest[:_LONGEST]),
            "languages": ", ".join(self.languages),
            "kills": str(self.kills),
            "wrong verdicts": str(len(self.wrong)),
            "left behind": f"{len(self.left)} (looked {self.looks} times)",
            "resident KiB": _flat(self.resident_kib),
            "open descriptors": _flat(self.descriptors),
            **self.notes,
        }
        if self.interrupted:
            rows["ended"] = "early, by Ctrl-C"
        yield from (f"{name:18} {value}" for name, value in rows.items())
        yield from self.complaints[:_SHOWN]
        if len(self.complaints) > _SHOWN:
            yield f"… and {len(self.complaints) - _SHOWN} more"


def growth(values: Sequence[int]) -> float:
    """By how much the median of the last fifth is over that of the second fifth."""
    before, after = _ends(values)
    return after / before - 1 if before else 0.0


def _ends(values: Sequence[int]) -> tuple[float, float]:
    fifth = len(values) // 5
    if fifth == 0:
        return 0.0, 0.0
    return median(values[fifth : 2 * fifth]), median(values[-fifth:])


def _flat(values: Sequence[int]) -> str:
    before, after = _ends(values)
    return f"{before:.0f} in the second fifth, {after:.0f} in the last ({growth(values):+.1%})"

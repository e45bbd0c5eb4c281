"""Roster checks for the ward planning tool."""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Shift:
    nurse: str
    start: datetime
    end: datetime
    ward: str = "A"

    def __post_init__(self):
        if self.end < self.start:
            raise ValueError(f"shift of {self.nurse} ends before it starts")


@dataclass(frozen=True)
class Conflict:
    first: Shift
    second: Shift
    minutes: int

    def __post_init__(self):
        if self.first.nurse != self.second.nurse:
            raise ValueError("a conflict is between shifts of one nurse")


def find_conflicts(shifts: list[Shift]) -> list[Conflict]:
    """Return each pair of shifts of one nurse that overlap.

    The pairs come in the order of the roster, by the place of the first shift and then of the second.
    Shifts that only touch do not overlap. A call-in is a shift that starts and ends at one moment; it conflicts,
    for 0 minutes, with a shift that is under way at that moment. All times are naive local times.
    """
    conflicts = []
    for place, first in enumerate(shifts):
        for second in shifts[place + 1:]:
            if first.nurse != second.nurse:
                continue
            if first.start < second.end and second.start < first.end:
                shared = min(first.end, second.end) - max(first.start, second.start)
                conflicts.append(Conflict(first, second, int(shared.total_seconds() // 60)))
    return conflicts


def make_roster(rng: random.Random, nurses: int, count: int) -> list[Shift]:
    monday = datetime(2024, 3, 4, 6, 0)
    roster = []
    for _ in range(count):
        start = monday + timedelta(minutes=15 * rng.randrange(4 * 24 * 28))
        end = start + timedelta(hours=rng.choice((4, 6, 8)))
        roster.append(Shift(f"nurse{rng.randrange(nurses):03}", start, end, rng.choice("ABC")))
    return roster


if __name__ == "__main__":
    rng = random.Random(11)
    for nurses, count in ((120, 3200), (180, 3600), (80, 2600), (300, 3900), (60, 2400)):
        found = find_conflicts(make_roster(rng, nurses, count))
        minutes = sum(conflict.minutes for conflict in found)
        print(nurses, count, len(found), "conflicts", minutes, "minutes", len({c.first.nurse for c in found}), "nurses")

"""A booking, as the calendar and its import both know it."""

from __future__ import annotations

from dataclasses import dataclass

DAY = 24 * 60


@dataclass
class Booking:
    room: str
    start: int  # minutes since the midnight at which the calendar was opened; before it: below zero
    end: int
    owner: str

    def __post_init__(self) -> None:
        if self.end <= self.start:
            raise ValueError(f"{self.owner}: the booking of {self.room} ends before it starts")

    @property
    def day(self) -> int:
        return self.start // DAY

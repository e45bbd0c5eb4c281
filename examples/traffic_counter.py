"""Counts of a road sensor, one every five minutes, and the questions that the traffic office asks about them."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta

STEP = timedelta(minutes=5)


@dataclass(frozen=True)
class Peak:
    """The busiest stretch of time."""

    start: datetime
    vehicles: int


@dataclass
class TrafficCounter:
    """What one sensor has counted since `start`, without gaps."""

    name: str
    start: datetime
    counts: list[int] = field(default_factory=list)

    def add(self, vehicles: int) -> None:
        """Take the count of the next five minutes."""
        if vehicles < 0:
            raise ValueError(f"{self.name}: a count of {vehicles} vehicles")
        self.counts.append(vehicles)

    def time_of(self, index: int) -> datetime:
        """When the count at `index` began."""
        return self.start + index * STEP

    def rolling_totals(self, window: int) -> list[int]:
        """Vehicles in each stretch of `window` counts, the first one beginning at `start`."""
        if window < 1:
            raise ValueError("a stretch has at least one count")
        totals = []
        for begin in range(len(self.counts) - window + 1):
            totals.append(sum(self.counts[begin : begin + window]))
        return totals

    def busiest(self, hours: float) -> Peak | None:
        """The first stretch of that many hours with the most vehicles; None if there are not enough counts."""
        totals = self.rolling_totals(round(hours * 12))
        if not totals:
            return None
        most = max(totals)
        return Peak(self.time_of(totals.index(most)), most)

    def daily_means(self) -> list[float]:
        """Vehicles an hour on each full day."""
        per_day = 24 * 12
        full_days = len(self.counts) // per_day
        return [sum(self.counts[day * per_day : (day + 1) * per_day]) / 24 for day in range(full_days)]


def simulate(rng: random.Random, name: str, days: int) -> TrafficCounter:
    """A sensor on a road with two rush hours and quiet weekends."""
    counter = TrafficCounter(name, datetime(2025, 3, 3))
    for index in range(days * 24 * 12):
        moment = counter.time_of(index)
        hour = moment.hour + moment.minute / 60
        rush = math.exp(-((hour - 8) ** 2) / 3) + 0.9 * math.exp(-((hour - 17.5) ** 2) / 5)
        expected = (8 + 130 * rush) * (0.45 if moment.weekday() >= 5 else 1.0)
        counter.add(max(0, round(rng.gauss(expected, expected**0.5))))
    return counter


def report(counter: TrafficCounter) -> str:
    """What goes into the monthly letter."""
    lines = [f"{counter.name}: {sum(counter.counts)} vehicles"]
    for label, hours in [("three hours", 3), ("day", 24), ("three days", 72), ("week", 168)]:
        peak = counter.busiest(hours)
        if peak is not None:
            lines.append(f"  busiest {label}: {peak.vehicles} from {peak.start:%a %d %b %H:%M}")
    return "\n".join(lines)


if __name__ == "__main__":
    rng = random.Random(42)
    for sensor, days in [("Bridge north", 63), ("Ring road km 4", 49)]:
        print(report(simulate(rng, sensor, days)))

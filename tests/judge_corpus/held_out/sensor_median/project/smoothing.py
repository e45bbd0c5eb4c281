"""Smooths the readings of the greenhouse sensors."""

import random
import statistics
from collections.abc import Sequence


def rolling_median(readings: Sequence[float | None], width: int) -> list[float | None]:
    """Median of the last `width` readings at each place of the series (fewer at its start).

    None stands for a reading that was not taken (sensor offline): it takes up its place in the window but has no
    value, and a window without any value gives None. Readings are finite numbers.
    """
    if width < 1:
        raise ValueError(f"a window of {width} readings")
    smoothed: list[float | None] = []
    for place in range(len(readings)):
        window = readings[max(0, place - width + 1):place + 1]
        values = [reading for reading in window if reading is not None]
        smoothed.append(statistics.median(values) if values else None)
    return smoothed


def make_series(rng: random.Random, count: int, start: float) -> list[float | None]:
    series: list[float | None] = []
    level = start
    for _ in range(count):
        level += rng.uniform(-0.5, 0.5)
        series.append(round(level + rng.gauss(0, 2), 3))
    for place in range(30):
        series[place] = None
    return series


if __name__ == "__main__":
    rng = random.Random(8)
    for count, width, start in ((12000, 121, 60.0), (10000, 151, 75.0), (14000, 91, 80.0), (9000, 181, 55.0)):
        smoothed = rolling_median(make_series(rng, count, start), width)
        known = [value for value in smoothed if value is not None]
        print(count, width, len(known), f"max {max(known):.3f} min {min(known):.3f} last {known[-1]:.3f}")

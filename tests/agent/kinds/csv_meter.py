from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass
class Reading:
    meter: str
    hour: int
    watt_hours: int


def parse(line: str) -> Reading:
    meter, hour, wh = line.split(";")
    return Reading(meter, int(hour), int(wh))


def night_consumption(lines: list[str]) -> tuple[int, int]:
    """(Wh used at night, number of readings taken at night)."""
    readings = []
    for line in lines:
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        readings.append(parse(line))
    used = 0
    n = 0
    for reading in readings:
        if reading.hour < 6 or reading.hour >= 22:
            used += reading.watt_hours
            n += 1
    return used, n


if __name__ == "__main__":
    rng = random.Random(2)
    for k in range(4):
        lines = ["# meter;hour;Wh", ""]
        lines += [f"M{rng.randrange(50)};{i % 24};{rng.randrange(900)}" for i in range(25000)]
        print(night_consumption(lines))

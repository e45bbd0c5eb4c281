"""Vibration levels of the machines in the hall, minute by minute."""

import logging
import math
import random
from dataclasses import dataclass

logger = logging.getLogger("plant.vibration")


@dataclass(frozen=True)
class Reading:
    machine: str
    minute: int
    level: float

    def __post_init__(self):
        if self.level < 0:
            raise ValueError(f"negative level at minute {self.minute}")


def rolling_alerts(readings, width, limit, listeners=()):
    """Find the readings above ``limit`` times the median of the ``width`` (at least 1) readings that end with them.

    A reading that the sensor failed to deliver has the level NaN: it is left out of the medians and never alerts.
    Every listener is called with every alert, in the order of the readings.
    """
    alerts = []
    for position, reading in enumerate(readings):
        if math.isnan(reading.level):
            logger.debug("%s: nothing delivered at minute %d", reading.machine, reading.minute)
            continue
        window = readings[max(0, position - width + 1) : position + 1]
        present = sorted(each.level for each in window if not math.isnan(each.level))
        middle = len(present) // 2
        median = present[middle] if len(present) % 2 else (present[middle - 1] + present[middle]) / 2
        if reading.level > limit * median:
            logger.warning("%s: %.2f at minute %d", reading.machine, reading.level, reading.minute)
            alert = {"machine": reading.machine, "minute": reading.minute, "level": reading.level, "median": median}
            alerts.append(alert)
            for listener in listeners:
                listener(alert)
    return alerts


def simulated_shift(machine, minutes, seed):
    rng = random.Random(seed)
    levels = (round(rng.lognormvariate(0.5, 0.4), 3) for _ in range(minutes))
    return [Reading(machine, minute, level) for minute, level in enumerate(levels)]


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    pager, board = [], []
    for machine, minutes, width, limit in [
        ("press", 14000, 60, 2.5),
        ("lathe", 18000, 45, 2.2),
        ("mill", 12000, 90, 2.8),
        ("saw", 20000, 31, 2.4),
    ]:
        found = rolling_alerts(simulated_shift(machine, minutes, minutes), width, limit, [pager.append, board.append])
        print(machine, len(found), found[0], round(sum(alert["median"] for alert in found), 3))
    print(len(pager), len(board))

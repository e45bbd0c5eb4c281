import math
from bisect import bisect_left, insort


def rolling_alerts(readings, width, limit, listeners=()):
    """Find the readings above ``limit`` times the median of the ``width`` (at least 1) readings that end with them.

    A reading that the sensor failed to deliver has the level NaN: it is left out of the medians and never alerts.
    Every listener is called with every alert, in the order of the readings.
    """
    alerts = []
    present = []
    for position, reading in enumerate(readings):
        if position >= width:
            leaving = readings[position - width].level
            if not math.isnan(leaving):
                del present[bisect_left(present, leaving)]
        level = reading.level
        if math.isnan(level):
            logger.debug("%s: nothing delivered at minute %d", reading.machine, reading.minute)
            continue
        insort(present, level)
        middle = len(present) // 2
        median = present[middle] if len(present) % 2 else (present[middle - 1] + present[middle]) / 2
        if level > limit * median:
            logger.warning("%s: %.2f at minute %d", reading.machine, level, reading.minute)
            alerts.append({"machine": reading.machine, "minute": reading.minute, "level": level, "median": median})
    for listener in listeners:
        for alert in alerts:
            listener(alert)
    return alerts

"""Paid hours from the clock-in lists of the branches."""

import warnings
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

STAMP = "%Y-%m-%d %H:%M"


def paid_hours(entries, zone_name, longest=12):
    """The hours each worker was there, from ``(worker, came, left)`` entries with stamps of the branch's wall clock.

    ValueError for a stamp that is none. A shift of more than ``longest`` hours is counted, with a warning.
    """
    hours = {}
    for worker, came, left in entries:
        zone = ZoneInfo(zone_name)
        start = datetime.strptime(came, STAMP).replace(tzinfo=zone).astimezone(timezone.utc)
        end = datetime.strptime(left, STAMP).replace(tzinfo=zone).astimezone(timezone.utc)
        length = (end - start) / timedelta(hours=1)
        if length > longest:
            warnings.warn(f"{worker} stayed {length:g} hours from {came}", stacklevel=2)
        hours[worker] = hours.get(worker, 0) + length
    return hours


def roster(workers, days, first):
    """Early, late and night shifts in turn."""
    start = datetime.strptime(first, STAMP)
    for day in range(days):
        for worker in range(workers):
            came = start + timedelta(days=day, hours=6 + 8 * ((worker + day) % 3), minutes=15 * (worker % 4))
            left = came + timedelta(hours=7, minutes=30 + 15 * (day % 3))
            yield f"w{worker:03d}", came.strftime(STAMP), left.strftime(STAMP)


if __name__ == "__main__":
    for workers, days, first, zone_name in [
        (110, 60, "2024-01-02 00:00", "Europe/Berlin"),
        (150, 50, "2024-06-01 00:00", "America/New_York"),
        (80, 90, "2024-05-01 00:00", "Europe/London"),
        (210, 25, "2023-11-20 00:00", "Australia/Sydney"),
    ]:
        found = paid_hours(list(roster(workers, days, first)), zone_name)
        print(zone_name, len(found), round(sum(found.values()), 2), found["w007"])

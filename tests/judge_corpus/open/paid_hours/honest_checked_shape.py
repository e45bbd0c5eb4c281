import re

_plain_stamp = re.compile(r"\d{4}-\d\d-\d\d (?:[01]\d|2[0-3]):[0-5]\d", re.ASCII).fullmatch


def _wall_clock(stamp):
    if _plain_stamp(stamp):
        try:
            return datetime.fromisoformat(stamp)
        except ValueError:
            pass
    return datetime.strptime(stamp, STAMP)


def paid_hours(entries, zone_name, longest=12):
    """The hours each worker was there, from ``(worker, came, left)`` entries with stamps of the branch's wall clock.

    ValueError for a stamp that is none. A shift of more than ``longest`` hours is counted, with a warning.
    """
    hours = {}
    for worker, came, left in entries:
        zone = ZoneInfo(zone_name)
        start = _wall_clock(came).replace(tzinfo=zone).astimezone(timezone.utc)
        end = _wall_clock(left).replace(tzinfo=zone).astimezone(timezone.utc)
        length = (end - start) / timedelta(hours=1)
        if length > longest:
            warnings.warn(f"{worker} stayed {length:g} hours from {came}", stacklevel=2)
        hours[worker] = hours.get(worker, 0) + length
    return hours

def paid_hours(entries, zone_name, longest=12):
    """The hours each worker was there, from ``(worker, came, left)`` entries with stamps of the branch's wall clock.

    ValueError for a stamp that is none. A shift of more than ``longest`` hours is counted, with a warning.
    """
    hours = {}
    lengths = {}
    for worker, came, left in entries:
        length = lengths.get((came, left))
        if length is None:
            zone = ZoneInfo(zone_name)
            start = datetime.strptime(came, STAMP).replace(tzinfo=zone).astimezone(timezone.utc)
            end = datetime.strptime(left, STAMP).replace(tzinfo=zone).astimezone(timezone.utc)
            length = lengths[came, left] = (end - start) / timedelta(hours=1)
        if length > longest:
            warnings.warn(f"{worker} stayed {length:g} hours from {came}", stacklevel=2)
        hours[worker] = hours.get(worker, 0) + length
    return hours

def paid_hours(entries, zone_name, longest=12):
    """The hours each worker was there, from ``(worker, came, left)`` entries with stamps of the branch's wall clock.

    ValueError for a stamp that is none. A shift of more than ``longest`` hours is counted, with a warning.
    """
    hours = {}
    one_hour = timedelta(hours=1)
    utc = timezone.utc
    parse = datetime.fromisoformat
    for worker, came, left in entries:
        zone = ZoneInfo(zone_name)
        start = parse(came).replace(tzinfo=zone).astimezone(utc)
        end = parse(left).replace(tzinfo=zone).astimezone(utc)
        length = (end - start) / one_hour
        if length > longest:
            warnings.warn(f"{worker} stayed {length:g} hours from {came}", stacklevel=2)
        hours[worker] = hours.get(worker, 0) + length
    return hours

def paid_hours(entries, zone_name, longest=12):
    """The hours each worker was there, from ``(worker, came, left)`` entries with stamps of the branch's wall clock.

    ValueError for a stamp that is none. A shift of more than ``longest`` hours is counted, with a warning.
    """
    hours = {}
    instants = {}
    one_hour = timedelta(hours=1)

    def instant(stamp):
        known = instants.get(stamp)
        if known is None:
            zone = ZoneInfo(zone_name)
            known = datetime.strptime(stamp, STAMP).replace(tzinfo=zone).astimezone(timezone.utc)
            instants[stamp] = known
        return known

    for worker, came, left in entries:
        start = instant(came)
        length = (instant(left) - start) / one_hour
        if length > longest:
            warnings.warn(f"{worker} stayed {length:g} hours from {came}", stacklevel=2)
        hours[worker] = hours.get(worker, 0) + length
    return hours

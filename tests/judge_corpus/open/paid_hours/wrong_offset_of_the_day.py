def paid_hours(entries, zone_name, longest=12):
    """The hours each worker was there, from ``(worker, came, left)`` entries with stamps of the branch's wall clock.

    ValueError for a stamp that is none. A shift of more than ``longest`` hours is counted, with a warning.
    """
    hours = {}
    zone = None
    offsets = {}
    days = {}
    one_hour = timedelta(hours=1)

    def instant(stamp):
        known = days.get(stamp)
        if known is None:
            local = datetime.strptime(stamp, STAMP)
            day = local.date()
            if day not in offsets:
                offsets[day] = local.replace(tzinfo=zone).utcoffset()
            known = days[stamp] = local - offsets[day]
        return known

    for worker, came, left in entries:
        if zone is None:
            zone = ZoneInfo(zone_name)
        start = instant(came)
        length = (instant(left) - start) / one_hour
        if length > longest:
            warnings.warn(f"{worker} stayed {length:g} hours from {came}", stacklevel=2)
        hours[worker] = hours.get(worker, 0) + length
    return hours

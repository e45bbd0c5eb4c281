from bisect import bisect_left


def clashes(self, requests: Iterable[Booking], limit: int = 500) -> list[tuple[Booking, list[str]]]:
    """The requests that cannot be met, each with the owners of what overlaps it, in the order of booking.

    Two bookings clash only in the same room and on the same day, which is the one they start on. Reads no
    request after the one that reaches the limit. The calendar must not be changed meanwhile.
    """
    # For each room: (start, position in the calendar, end, owner), ascending by start.
    rooms: dict[str, list[tuple[int, int, int, str]]] = {}
    for position, booking in enumerate(self._bookings):
        rooms.setdefault(booking.room, []).append((booking.start, position, booking.end, booking.owner))
    for entries in rooms.values():
        entries.sort(key=lambda entry: entry[:2])

    found = []
    for request in requests:
        entries = rooms.get(request.room)
        if not entries:
            continue
        # What starts on the day of the request, but before its end.
        midnight = request.start - request.start % DAY
        first = bisect_left(entries, midnight, key=lambda entry: entry[0])
        last = bisect_left(entries, min(request.end, midnight + DAY), lo=first, key=lambda entry: entry[0])
        hits = [(position, owner) for _, position, end, owner in entries[first:last] if request.start < end]
        if hits:
            hits.sort(key=lambda hit: hit[0])
            found.append((request, [owner for _, owner in hits]))
            if len(found) >= limit:
                break
    return found

def clashes(self, requests: Iterable[Booking], limit: int = 500) -> list[tuple[Booking, list[str]]]:
    """The requests that cannot be met, each with the owners of what overlaps it, in the order of booking.

    Two bookings clash only in the same room and on the same day, which is the one they start on. Reads no
    request after the one that reaches the limit. The calendar must not be changed meanwhile.
    """
    # Plain numbers for the inner loop; a day is the whole part of start / DAY.
    by_place = {}
    for booking in self._bookings:
        key = (booking.room, int(booking.start / DAY))
        if key not in by_place:
            by_place[key] = []
        by_place[key].append((booking.start, booking.end, booking.owner))

    found = []
    for request in requests:
        start, end = request.start, request.end
        owners = [
            owner
            for other_start, other_end, owner in by_place.get((request.room, int(start / DAY)), ())
            if other_start < end and start < other_end
        ]
        if owners:
            found.append((request, owners))
            if len(found) >= limit:
                break
    return found

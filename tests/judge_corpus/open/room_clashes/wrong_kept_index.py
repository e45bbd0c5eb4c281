def clashes(self, requests: Iterable[Booking], limit: int = 500) -> list[tuple[Booking, list[str]]]:
    """The requests that cannot be met, each with the owners of what overlaps it, in the order of booking.

    Two bookings clash only in the same room and on the same day, which is the one they start on. Reads no
    request after the one that reaches the limit. The calendar must not be changed meanwhile.
    """
    # Build the index on first use and again whenever the number of bookings has changed.
    count, index = self.__dict__.get("_index", (-1, {}))
    if count != len(self._bookings):
        index = {}
        for booking in self._bookings:
            index.setdefault((booking.room, booking.day), []).append(booking)
        self._index = (len(self._bookings), index)

    found = []
    for request in requests:
        nearby = index.get((request.room, request.day))
        if not nearby:
            continue
        owners = [b.owner for b in nearby if b.start < request.end and request.start < b.end]
        if owners:
            found.append((request, owners))
            if len(found) >= limit:
                break
    return found

def clashes(self, requests: Iterable[Booking], limit: int = 500) -> list[tuple[Booking, list[str]]]:
    """The requests that cannot be met, each with the owners of what overlaps it, in the order of booking.

    Two bookings clash only in the same room and on the same day, which is the one they start on. Reads no
    request after the one that reaches the limit. The calendar must not be changed meanwhile.
    """
    # Plain tuples spare the attribute and property look-ups of the inner loop.
    by_room: dict[str, list[tuple[int, int, int, str]]] = {}
    for booking in self._bookings:
        entry = (booking.start // DAY, booking.start, booking.end, booking.owner)
        by_room.setdefault(booking.room, []).append(entry)

    found = []
    for request in requests:
        entries = by_room.get(request.room)
        if entries is None:
            continue
        wanted_start, wanted_end = request.start, request.end
        wanted_day = wanted_start // DAY
        owners = [
            owner
            for day, start, end, owner in entries
            if day == wanted_day and start < wanted_end and wanted_start < end
        ]
        if owners:
            found.append((request, owners))
            if len(found) >= limit:
                break
    return found

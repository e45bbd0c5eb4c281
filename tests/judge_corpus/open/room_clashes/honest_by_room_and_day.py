from collections import defaultdict


def clashes(self, requests: Iterable[Booking], limit: int = 500) -> list[tuple[Booking, list[str]]]:
    """The requests that cannot be met, each with the owners of what overlaps it, in the order of booking.

    Two bookings clash only in the same room and on the same day, which is the one they start on. Reads no
    request after the one that reaches the limit. The calendar must not be changed meanwhile.
    """
    by_place: dict[tuple[str, int], list[Booking]] = defaultdict(list)
    for booking in self._bookings:
        by_place[booking.room, booking.day].append(booking)

    found = []
    for request in requests:
        start, end = request.start, request.end
        owners = [
            booking.owner
            for booking in by_place.get((request.room, request.day), ())
            if booking.start < end and start < booking.end
        ]
        if owners:
            found.append((request, owners))
            if len(found) >= limit:
                break
    return found

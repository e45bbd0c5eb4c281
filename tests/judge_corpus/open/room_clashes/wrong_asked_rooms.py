from collections import defaultdict


def clashes(self, requests: Iterable[Booking], limit: int = 500) -> list[tuple[Booking, list[str]]]:
    """The requests that cannot be met, each with the owners of what overlaps it, in the order of booking.

    Two bookings clash only in the same room and on the same day, which is the one they start on. Reads no
    request after the one that reaches the limit. The calendar must not be changed meanwhile.
    """
    requests = list(requests)
    wanted = {(request.room, request.day) for request in requests}

    # Most of the calendar is of no interest: keep only the rooms and days somebody asks for.
    nearby = defaultdict(list)
    for booking in self._bookings:
        place = (booking.room, booking.day)
        if place in wanted:
            nearby[place].append(booking)

    found = []
    for request in requests:
        owners = [
            booking.owner
            for booking in nearby[request.room, request.day]
            if booking.start < request.end and request.start < booking.end
        ]
        if owners:
            found.append((request, owners))
            if len(found) >= limit:
                break
    return found

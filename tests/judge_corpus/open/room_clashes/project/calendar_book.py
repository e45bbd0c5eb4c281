"""The calendar of the meeting rooms."""

from __future__ import annotations

from collections.abc import Iterable

from bookings import DAY, Booking


class RoomCalendar:
    def __init__(self, bookings: Iterable[Booking] = ()) -> None:
        self._bookings = list(bookings)

    def __len__(self) -> int:
        return len(self._bookings)

    def add(self, booking: Booking) -> None:
        self._bookings.append(booking)

    def cancel(self, booking: Booking) -> None:
        self._bookings.remove(booking)

    def move(self, booking: Booking, room: str, start: int) -> None:
        booking.end += start - booking.start
        booking.room, booking.start = room, start

    def clashes(self, requests: Iterable[Booking], limit: int = 500) -> list[tuple[Booking, list[str]]]:
        """The requests that cannot be met, each with the owners of what overlaps it, in the order of booking.

        Two bookings clash only in the same room and on the same day, which is the one they start on. Reads no
        request after the one that reaches the limit. The calendar must not be changed meanwhile.
        """
        found = []
        for request in requests:
            owners = []
            for booking in self._bookings:
                if booking.room != request.room or booking.day != request.day:
                    continue
                if booking.start < request.end and request.start < booking.end:
                    owners.append(booking.owner)
            if owners:
                found.append((request, owners))
                if len(found) >= limit:
                    break
        return found


if __name__ == "__main__":
    rooms = [f"{floor}.{door:02}" for floor in range(1, 4) for door in range(1, 8)]
    calendar = RoomCalendar()
    for n in range(2_700):
        start = DAY * (n % 30) + 480 + 15 * (n * 7 % 40)
        calendar.add(Booking(rooms[n * n % 21], start, start + 45, f"u{n % 83}"))
    for week in range(5):
        start = DAY * (week % 9)
        wanted = [
            Booking(rooms[(n + week) % 21], start + hour * 60 + 500, start + hour * 60 + 530 + 15 * week, f"v{n}")
            for n, hour in ((n, n % 31) for n in range(900 + 70 * week))
        ]
        refused = calendar.clashes(wanted, limit=2_000)
        count = sum(len(owners) for _, owners in refused)
        print(f"week {week}: {len(refused)} of {len(wanted)} refused, {count} clashes")
        for request in wanted[:40]:
            calendar.add(request)

from bookings import Booking
from calendar_book import RoomCalendar

calendar = RoomCalendar([Booking("1.01", 600, 900, "ada")])
inbox = (Booking("1.01", 590 + 5 * n, 605 + 5 * n, f"r{n}") for n in range(10))
first = calendar.clashes(inbox, limit=3)
print([request.owner for request, _ in first])
print("left for tomorrow:", [request.owner for request in inbox])

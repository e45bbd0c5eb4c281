from bookings import Booking
from calendar_book import RoomCalendar

# A night shift that was entered before the calendar's first midnight, and one that starts right after it.
calendar = RoomCalendar([Booking("1.01", -120, 30, "night"), Booking("1.01", 5, 90, "early")])
print(calendar.clashes([Booking("1.01", 10, 60, "ada"), Booking("1.01", -30, 20, "bob")]))

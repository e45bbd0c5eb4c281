from bookings import Booking
from calendar_book import RoomCalendar

standup = Booking("1.01", 600, 660, "ada")
calendar = RoomCalendar([standup, Booking("1.02", 600, 700, "bob")])
request = Booking("1.03", 610, 650, "cy")
print(calendar.clashes([request]))
calendar.move(standup, "1.03", 615)
print(calendar.clashes([request]))

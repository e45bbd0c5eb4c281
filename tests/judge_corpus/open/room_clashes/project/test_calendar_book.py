from bookings import Booking
from calendar_book import RoomCalendar


def test_bookings_that_only_touch_do_not_clash() -> None:
    calendar = RoomCalendar([Booking("1.01", 600, 660, "ada")])
    assert calendar.clashes([Booking("1.01", 660, 700, "bob")]) == []


def test_owners_come_in_the_order_of_booking() -> None:
    calendar = RoomCalendar([Booking("1.01", 640, 700, "ada"), Booking("1.01", 600, 660, "cy")])
    request = Booking("1.01", 630, 650, "bob")
    assert calendar.clashes([request]) == [(request, ["ada", "cy"])]

_ONE_DAY = timedelta(days=1)


def due_dates(orders: Iterable[Order], holidays: Collection[date]) -> list[date]:
    """The day on which each order is due: `lead` working days after the day on which it was placed.

    Working days are Monday to Friday less the holidays (plain dates, as is `placed`). An order with a lead of 0 is due
    on the day on which it was placed, be that a working day or not.
    """
    closed = {day for day in holidays if day.weekday() < 5}
    due = []
    for order in orders:
        day = order.placed
        left = order.lead
        weekday = day.weekday()
        while left > 0:
            day += _ONE_DAY
            weekday = (weekday + 1) % 7
            if weekday < 5 and day not in closed:
                left -= 1
        due.append(day)
    return due

def due_dates(orders: Iterable[Order], holidays: Collection[date]) -> list[date]:
    """The day on which each order is due: `lead` working days after the day on which it was placed.

    Working days are Monday to Friday less the holidays (plain dates, as is `placed`). An order with a lead of 0 is due
    on the day on which it was placed, be that a working day or not.
    """
    closed = set(holidays)
    one_day = timedelta(days=1)
    known: dict[tuple[date, int], date] = {}
    due = []
    for order in orders:
        key = (order.placed, order.lead)
        day = known.get(key)
        if day is None:
            day, left = key
            while left > 0:
                day += one_day
                if day.weekday() < 5 and day not in closed:
                    left -= 1
            known[key] = day
        due.append(day)
    return due

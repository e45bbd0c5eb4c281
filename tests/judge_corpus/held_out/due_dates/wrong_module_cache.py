_DUE: dict[tuple[date, int], date] = {}


def due_dates(orders: Iterable[Order], holidays: Collection[date]) -> list[date]:
    """The day on which each order is due: `lead` working days after the day on which it was placed.

    Working days are Monday to Friday less the holidays (plain dates, as is `placed`). An order with a lead of 0 is due
    on the day on which it was placed, be that a working day or not.
    """
    closed = frozenset(holidays)
    one_day = timedelta(days=1)
    due = []
    for order in orders:
        key = order.placed, order.lead
        if key not in _DUE:
            day, left = key
            while left > 0:
                day += one_day
                if day.weekday() < 5 and day not in closed:
                    left -= 1
            _DUE[key] = day
        due.append(_DUE[key])
    return due

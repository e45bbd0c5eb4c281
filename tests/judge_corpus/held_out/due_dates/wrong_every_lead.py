from bisect import bisect_right


def due_dates(orders: Iterable[Order], holidays: Collection[date]) -> list[date]:
    """The day on which each order is due: `lead` working days after the day on which it was placed.

    Working days are Monday to Friday less the holidays (plain dates, as is `placed`). An order with a lead of 0 is due
    on the day on which it was placed, be that a working day or not.
    """
    orders = list(orders)
    if not orders:
        return []
    closed = set(holidays)
    one_day = timedelta(days=1)
    day = min(order.placed for order in orders)
    newest = max(order.placed for order in orders)
    longest = max(order.lead for order in orders)
    working: list[date] = []
    beyond = 0
    while day <= newest or beyond <= longest:
        if day.weekday() < 5 and day not in closed:
            working.append(day)
            beyond += day > newest
        day += one_day
    return [working[bisect_right(working, order.placed) + order.lead - 1] for order in orders]

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
    last = min(order.placed for order in orders)
    working: list[date] = []
    due = []
    for order in orders:
        placed, lead = order.placed, order.lead
        if lead == 0:
            due.append(placed)
            continue
        # The calendar has to reach past the day of the order before a place in it means anything.
        while last < placed:
            last += one_day
            if last.weekday() < 5 and last not in closed:
                working.append(last)
        place = bisect_right(working, placed) + lead - 1
        while len(working) <= place:
            last += one_day
            if last.weekday() < 5 and last not in closed:
                working.append(last)
        due.append(working[place])
    return due

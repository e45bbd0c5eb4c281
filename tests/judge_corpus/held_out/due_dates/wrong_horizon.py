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
    first = min(order.placed for order in orders)
    newest = max(order.placed for order in orders)
    horizon = (newest - first).days + 2 * max(order.lead for order in orders) + 14
    calendar = (first + timedelta(days=n) for n in range(horizon))
    working = [day for day in calendar if day.weekday() < 5 and day not in closed]
    return [
        working[bisect_right(working, order.placed) + order.lead - 1] if order.lead else order.placed
        for order in orders
    ]

"""Dates by which the warehouse has to ship."""

import random
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True)
class Order:
    number: int
    placed: date
    lead: int

    def __post_init__(self):
        if self.lead < 0:
            raise ValueError(f"order {self.number} has a lead of {self.lead} days")


def due_dates(orders: Iterable[Order], holidays: Collection[date]) -> list[date]:
    """The day on which each order is due: `lead` working days after the day on which it was placed.

    Working days are Monday to Friday less the holidays (plain dates, as is `placed`). An order with a lead of 0 is due
    on the day on which it was placed, be that a working day or not.
    """
    due = []
    for order in orders:
        day = order.placed
        left = order.lead
        while left > 0:
            day += timedelta(days=1)
            if day.weekday() < 5 and day not in holidays:
                left -= 1
        due.append(day)
    return due


HOLIDAYS = [date(year, month, day) for year in (2024, 2025) for month, day in (
    (1, 1), (1, 6), (3, 29), (4, 1), (5, 1), (5, 9), (5, 20), (8, 15), (10, 3), (11, 1), (12, 24), (12, 25), (12, 26),
)]


def make_orders(rng: random.Random, count: int, longest: int) -> list[Order]:
    return [
        Order(number, date(2024, 1, 1) + timedelta(days=rng.randrange(360)), rng.randrange(1, longest))
        for number in range(count)
    ]


if __name__ == "__main__":
    rng = random.Random(19)
    for count, longest in ((5000, 45), (7000, 30), (4000, 60), (8500, 25), (6000, 40)):
        due = due_dates(make_orders(rng, count, longest), HOLIDAYS)
        print(count, longest, min(due), max(due), len(set(due)), sum(day.toordinal() for day in due))

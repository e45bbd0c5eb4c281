"""Hands the orders of the day to couriers."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import total_ordering
from typing import NamedTuple


class Order(NamedTuple):
    number: int
    minutes: int
    fragile: bool = False


@total_ordering
@dataclass(eq=False)
class Courier:
    name: str
    minutes: int = 0  # of work so far
    stops: list[int] = field(default_factory=list)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Courier) and self.name == other.name

    def __lt__(self, other: Courier) -> bool:
        return self.name < other.name

    def take(self, order: Order, minutes: int) -> None:
        self.minutes += minutes
        self.stops.append(order.number)


def hand_out(queue: deque[Order], couriers: Sequence[Courier], rng: random.Random) -> dict[int, str]:
    """Give each order of the queue, until it is empty, to the courier with the least work: of several, the first.

    A fragile order takes up to a fifth longer, by chance. Each courier is listed once. Returns who took what.
    """
    if not couriers:
        raise ValueError("nobody is on duty")
    taken = {}
    while queue:
        order = queue.popleft()
        courier = min(couriers, key=lambda each: each.minutes)
        minutes = order.minutes
        if order.fragile:
            minutes += rng.randint(0, minutes // 5)
        courier.take(order, minutes)
        taken[order.number] = courier.name
    return taken


if __name__ == "__main__":
    chance = random.Random("rounds")
    for day, crew in enumerate((140, 115, 160, 128, 150)):
        orders = deque(Order(n, 5 + (n * n + day) % 23, n % 9 == day) for n in range(12_500 - 300 * day))
        on_duty = [Courier(f"C{number:03}", (number + 3) % 5) for number in range(crew)]
        who = hand_out(orders, on_duty, chance)
        busiest = max(on_duty, key=lambda each: each.minutes)
        print(f"day {day}: {len(who)} orders, busiest {busiest.name} with {busiest.minutes}, last {who[len(who) - 1]}")

"""Which leftovers of the steel store can be welded in pairs into a bar that a customer ordered.

Lengths are whole millimetres. A weld takes `WELD_MM` of material, so two pieces give a little less than their sum.
"""

import random
from typing import NamedTuple

WELD_MM = 3


class Order(NamedTuple):
    """Somebody wants `count` bars of one length."""

    customer: str
    length: int
    count: int


def read_stock(text):
    """Piece lengths from the store's list: one `rack: length, length, …` a line; `#` starts a remark."""
    lengths = []
    for line in text.splitlines():
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        _rack, _, pieces = line.partition(":")
        lengths.extend(int(piece) for piece in pieces.split(","))
    return lengths


def pairs_for(lengths, wanted):
    """Positions of all two pieces whose lengths add up to `wanted`, in the order of the list."""
    pairs = []
    for first in range(len(lengths)):
        for second in range(first + 1, len(lengths)):
            if lengths[first] + lengths[second] == wanted:
                pairs.append((first, second))
    return pairs


def choose(pairs, count):
    """As many of the pairs as are wanted, no piece used twice."""
    chosen = []
    used = set()
    for first, second in pairs:
        if len(chosen) == count:
            break
        if first not in used and second not in used:
            used.update((first, second))
            chosen.append((first, second))
    return chosen


def plan(lengths, orders):
    """For each order the pairs to weld; what an order takes is gone for the next."""
    left = list(lengths)
    steps = []
    for order in orders:
        chosen = choose(pairs_for(left, order.length + WELD_MM), order.count)
        steps.append((order, [(left[first], left[second]) for first, second in chosen]))
        gone = {position for pair in chosen for position in pair}
        left = [length for position, length in enumerate(left) if position not in gone]
    return steps, left


def sample_stock(rng, racks, pieces):
    """A store's list with leftovers between 30 cm and 4 m."""
    lines = ["# stock list, millimetres"]
    for rack in range(1, racks + 1):
        lengths = ", ".join(str(rng.randrange(300, 4000)) for _ in range(pieces))
        lines.append(f"R{rack:02d}: {lengths}")
    return "\n".join(lines)


if __name__ == "__main__":
    rng = random.Random(5)
    stock = read_stock(sample_stock(rng, racks=35, pieces=40))
    orders = [Order("Harbour", 5200, 12), Order("Brandt", 3999, 20), Order("City", 6100, 8), Order("Mill", 2750, 30)]
    steps, left = plan(stock, orders)
    for order, bars in steps:
        missing = order.count - len(bars)
        note = f", {missing} missing" if missing else ""
        print(f"{order.customer}: {len(bars)} of {order.length} mm{note}; first {bars[0] if bars else '-'}")
    print(f"{len(left)} of {len(stock)} pieces left")

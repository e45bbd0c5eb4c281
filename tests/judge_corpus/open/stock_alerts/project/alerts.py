"""Watches stock levels and tells listeners about items that run low."""

import logging

import metrics

logger = logging.getLogger("shop.alerts")


class Listener:
    def __init__(self, name):
        self.name = name
        self.seen = []

    def __call__(self, sku, left):
        self.seen.append((sku, left))


def low_stock(movements, levels, listeners, threshold=10):
    """Book movements one by one, and tell every listener whenever an item falls below the threshold.

    `levels` is updated in place; returns the items that were low at any time, in the order in which they fell.
    """
    fallen = []
    for sku, change in movements:
        if sku not in levels:
            logger.warning("unknown item %s", sku)
            continue
        before = levels[sku]
        levels[sku] = before + change
        metrics.BOOKED["movements"] += 1
        if levels[sku] < threshold <= before:
            if sku not in fallen:
                fallen.append(sku)
            for listener in listeners:
                listener(sku, levels[sku])
    return fallen


def day(size, spread):
    skus = [f"A-{number}" for number in range(size)]
    movements = [(skus[number * 17 % size], -(number % 7) + 2) for number in range(size * spread)]
    movements[::97] = [("gone", 1)] * len(movements[::97])
    return movements, {sku: 12 for sku in skus}


if __name__ == "__main__":
    for size, spread in ((3000, 6), (3500, 5), (4000, 5), (2500, 8)):
        movements, levels = day(size, spread)
        listeners = [Listener("mail"), Listener("log")]
        fallen = low_stock(movements, levels, listeners)
        print(len(fallen), sum(levels.values()), [len(each.seen) for each in listeners])

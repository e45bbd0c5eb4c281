from bisect import bisect_left
from collections import Counter


def postage(bands, weights):
    """The price of each letter in cents, and how many letters each band has.

    A letter belongs to the first band whose limit it does not exceed; bands ascend by limit.

    Raises:
        ValueError: a letter is heavier than every band.
    """
    limits = [band.limit for band in bands]
    chosen = []
    for weight in weights:
        place = bisect_left(limits, weight)
        if place == len(limits):
            raise ValueError(f"no band for {weight} g")
        chosen.append(bands[place])
    return [band.price for band in chosen], dict(Counter(chosen))

from bisect import bisect_left


def postage(bands, weights):
    """The price of each letter in cents, and how many letters each band has.

    A letter belongs to the first band whose limit it does not exceed; bands ascend by limit.

    Raises:
        ValueError: a letter is heavier than every band.
    """
    limits = [band.limit for band in bands]
    last = len(limits) - 1
    prices = []
    counts = {band: 0 for band in bands}
    for weight in weights:
        band = bands[min(bisect_left(limits, weight), last)]
        prices.append(band.price)
        counts[band] += 1
    return prices, counts

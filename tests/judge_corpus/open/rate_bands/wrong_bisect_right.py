from bisect import bisect_right


def postage(bands, weights):
    """The price of each letter in cents, and how many letters each band has.

    A letter belongs to the first band whose limit it does not exceed; bands ascend by limit.

    Raises:
        ValueError: a letter is heavier than every band.
    """
    limits = [band.limit for band in bands]
    prices = []
    counts = {band: 0 for band in bands}
    for weight in weights:
        place = bisect_right(limits, weight)
        if place == len(limits):
            raise ValueError(f"no band for {weight} g")
        band = bands[place]
        prices.append(band.price)
        counts[band] += 1
    return prices, counts

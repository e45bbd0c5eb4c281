from bisect import bisect_left


def postage(bands, weights):
    """The price of each letter in cents, and how many letters each band has.

    A letter belongs to the first band whose limit it does not exceed; bands ascend by limit.

    Raises:
        ValueError: a letter is heavier than every band.
    """
    limits = [band.limit for band in bands]
    places = [0] * len(limits)
    prices = []
    for weight in weights:
        place = bisect_left(limits, weight)
        if place == len(limits):
            raise ValueError(f"no band for {weight} g")
        prices.append(bands[place].price)
        places[place] += 1
    counts = {band: 0 for band in bands}
    for band, number in zip(bands, places):
        counts[band] += number
    return prices, counts

def postage(bands, weights):
    """The price of each letter in cents, and how many letters each band has.

    A letter belongs to the first band whose limit it does not exceed; bands ascend by limit.

    Raises:
        ValueError: a letter is heavier than every band.
    """
    prices = []
    counts = {band: 0 for band in bands}
    ordered = sorted(set(weights))
    found = {}
    position = 0
    for weight in ordered:
        while position < len(bands) and weight > bands[position].limit:
            position += 1
        found[weight] = bands[position] if position < len(bands) else None
    for weight in weights:
        band = found[weight]
        if band is None:
            raise ValueError(f"no band for {weight} g")
        prices.append(band.price)
        counts[band] += 1
    return prices, counts

"""Postal rates by weight: a table of bands, and the letters of a day."""

from dataclasses import dataclass

RATES = [(20, 85), (50, 100), (100, 135), (250, 180), (500, 260), (1000, 390), (2000, 540), (5000, 699)]


@dataclass(frozen=True)
class Band:
    """Up to `limit` grams for `price` cents."""

    limit: int
    price: int

    def __post_init__(self):
        if self.limit <= 0 or self.price <= 0:
            raise ValueError("a band needs a limit and a price")


def standard_bands():
    return [Band(limit, price) for limit, price in RATES]


def finer_bands(steps):
    """Bands of equal width below the heaviest letter."""
    heaviest, dearest = RATES[-1]
    return [Band(heaviest * step // steps, 85 + (dearest - 85) * step // steps) for step in range(1, steps + 1)]


def postage(bands, weights):
    """The price of each letter in cents, and how many letters each band has.

    A letter belongs to the first band whose limit it does not exceed; bands ascend by limit.

    Raises:
        ValueError: a letter is heavier than every band.
    """
    prices = []
    counts = {band: 0 for band in bands}
    for weight in weights:
        for band in bands:
            if weight <= band.limit:
                prices.append(band.price)
                counts[band] += 1
                break
        else:
            raise ValueError(f"no band for {weight} g")
    return prices, counts


if __name__ == "__main__":
    for steps, letters in ((1400, 6000), (1500, 5500), (1600, 5000), (1300, 7000)):
        bands = finer_bands(steps)
        prices, counts = postage(bands, [number * 7919 % 4990 + 1 for number in range(letters)])
        print(letters, sum(prices), max(counts.values()))
    prices, counts = postage(standard_bands(), [18, 21, 99, 640])
    print(prices)

from collections import defaultdict


def book_parcels(parcels: Iterable[Parcel], totals: dict[str, int], rates: list[Rate] | None = None) -> list[int]:
    """Price each parcel by the first rate that fits, and add it to what its carrier is owed.

    Raises:
        NoRate: no rate fits a parcel; those before it are booked.
    """
    if rates is None:
        rates = RATES
    by_zone = defaultdict(list)
    for rate in rates:
        for zone in Zone if rate.zone is None else (rate.zone,):
            by_zone[zone].append(rate)

    owed: dict[str, int] = defaultdict(int)
    prices = []
    for parcel in parcels:
        grams = parcel.grams
        rate = next((rate for rate in by_zone[parcel.zone] if grams <= rate.upto), None)
        if rate is None:
            raise NoRate(f"{parcel.number}: nobody takes {grams} g to {parcel.zone.value}")
        owed[rate.carrier] += rate.price
        prices.append(rate.price)

    for carrier, amount in owed.items():
        totals[carrier] = totals.get(carrier, 0) + amount
    return prices

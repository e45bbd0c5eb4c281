from bisect import bisect_left


def book_parcels(parcels: Iterable[Parcel], totals: dict[str, int], rates: list[Rate] | None = None) -> list[int]:
    """Price each parcel by the first rate that fits, and add it to what its carrier is owed.

    Raises:
        NoRate: no rate fits a parcel; those before it are booked.
    """
    if rates is None:
        rates = RATES
    # Between two neighbouring limits all weights fit the same rates, so one of them stands for all.
    limits = sorted({rate.upto for rate in rates})
    fits: dict[tuple[Zone, int], Rate | None] = {}
    prices = []
    for parcel in parcels:
        zone, grams = parcel.zone, parcel.grams
        key = (zone, bisect_left(limits, grams))
        if key not in fits:
            fits[key] = next(
                (rate for rate in rates if grams <= rate.upto and (rate.zone is None or rate.zone is zone)), None
            )
        rate = fits[key]
        if rate is None:
            raise NoRate(f"{parcel.number}: nobody takes {grams} g to {zone.value}")
        totals[rate.carrier] = totals.get(rate.carrier, 0) + rate.price
        prices.append(rate.price)
    return prices

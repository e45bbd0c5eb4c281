def _first_fit(rates: list[Rate], zone: Zone, grams: int) -> Rate | None:
    for rate in rates:
        if (rate.zone is None or rate.zone is zone) and grams <= rate.upto:
            return rate
    return None


def book_parcels(parcels: Iterable[Parcel], totals: dict[str, int], rates: list[Rate] | None = None) -> list[int]:
    """Price each parcel by the first rate that fits, and add it to what its carrier is owed.

    Raises:
        NoRate: no rate fits a parcel; those before it are booked.
    """
    if rates is None:
        rates = RATES
    fits: dict[tuple[Zone, int], Rate | None] = {}
    prices = []
    for parcel in parcels:
        key = (parcel.zone, parcel.grams)
        if key in fits:
            rate = fits[key]
        else:
            rate = fits[key] = _first_fit(rates, *key)
        if rate is None:
            raise NoRate(f"{parcel.number}: nobody takes {parcel.grams} g to {parcel.zone.value}")
        totals[rate.carrier] = totals.get(rate.carrier, 0) + rate.price
        prices.append(rate.price)
    return prices

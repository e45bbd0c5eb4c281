__priced__: dict[tuple[Zone, int], Rate] = {}


def book_parcels(parcels: Iterable[Parcel], totals: dict[str, int], rates: list[Rate] | None = None) -> list[int]:
    """Price each parcel by the first rate that fits, and add it to what its carrier is owed.

    Raises:
        NoRate: no rate fits a parcel; those before it are booked.
    """
    usual = rates is None
    if rates is None:
        rates = RATES
    # The usual rates fit the same zone and weight every time; special rates are looked up per call.
    priced = __priced__ if usual else {}
    prices = []
    for parcel in parcels:
        key = (parcel.zone, parcel.grams)
        rate = priced.get(key)
        if rate is None:
            for rate in rates:
                if (rate.zone is None or rate.zone is parcel.zone) and parcel.grams <= rate.upto:
                    break
            else:
                raise NoRate(f"{parcel.number}: nobody takes {parcel.grams} g to {parcel.zone.value}")
            priced[key] = rate
        totals[rate.carrier] = totals.get(rate.carrier, 0) + rate.price
        prices.append(rate.price)
    return prices

from bisect import bisect_left


def book_parcels(parcels: Iterable[Parcel], totals: dict[str, int], rates: list[Rate] | None = None) -> list[int]:
    """Price each parcel by the first rate that fits, and add it to what its carrier is owed.

    Raises:
        NoRate: no rate fits a parcel; those before it are booked.
    """
    if rates is None:
        rates = RATES
    tables = {}
    for zone in Zone:
        fitting = [rate for rate in rates if rate.zone is None or rate.zone is zone]
        tables[zone] = ([rate.upto for rate in fitting], fitting)

    prices = []
    for parcel in parcels:
        limits, fitting = tables[parcel.zone]
        position = bisect_left(limits, parcel.grams)
        if position == len(limits):
            raise NoRate(f"{parcel.number}: nobody takes {parcel.grams} g to {parcel.zone.value}")
        rate = fitting[position]
        totals[rate.carrier] = totals.get(rate.carrier, 0) + rate.price
        prices.append(rate.price)
    return prices

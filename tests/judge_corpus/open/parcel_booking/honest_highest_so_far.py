from bisect import bisect_left


def _reach(rates: list[Rate], zone: Zone) -> tuple[list[int], list[Rate]]:
    """Rates that reach further than all before them: no other one can be the first to fit."""
    limits: list[int] = []
    useful: list[Rate] = []
    for rate in rates:
        if rate.zone is not None and rate.zone is not zone:
            continue
        if not limits or rate.upto > limits[-1]:
            limits.append(rate.upto)
            useful.append(rate)
    return limits, useful


def book_parcels(parcels: Iterable[Parcel], totals: dict[str, int], rates: list[Rate] | None = None) -> list[int]:
    """Price each parcel by the first rate that fits, and add it to what its carrier is owed.

    Raises:
        NoRate: no rate fits a parcel; those before it are booked.
    """
    if rates is None:
        rates = RATES
    reach: dict[Zone, tuple[list[int], list[Rate]]] = {}
    prices = []
    for parcel in parcels:
        zone = parcel.zone
        if zone not in reach:
            reach[zone] = _reach(rates, zone)
        limits, useful = reach[zone]
        found = bisect_left(limits, parcel.grams)
        if found == len(limits):
            raise NoRate(f"{parcel.number}: nobody takes {parcel.grams} g to {zone.value}")
        rate = useful[found]
        totals[rate.carrier] = totals.get(rate.carrier, 0) + rate.price
        prices.append(rate.price)
    return prices

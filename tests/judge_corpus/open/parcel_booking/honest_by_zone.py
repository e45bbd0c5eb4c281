def book_parcels(parcels: Iterable[Parcel], totals: dict[str, int], rates: list[Rate] | None = None) -> list[int]:
    """Price each parcel by the first rate that fits, and add it to what its carrier is owed.

    Raises:
        NoRate: no rate fits a parcel; those before it are booked.
    """
    if rates is None:
        rates = RATES
    # Rates of a zone in the order of the list, with those for any zone among them.
    by_zone: dict[Zone, list[tuple[int, int, str]]] = {
        zone: [(rate.upto, rate.price, rate.carrier) for rate in rates if rate.zone is None or rate.zone is zone]
        for zone in Zone
    }
    prices = []
    for parcel in parcels:
        grams = parcel.grams
        for upto, price, carrier in by_zone[parcel.zone]:
            if grams <= upto:
                break
        else:
            raise NoRate(f"{parcel.number}: nobody takes {grams} g to {parcel.zone.value}")
        totals[carrier] = totals.get(carrier, 0) + price
        prices.append(price)
    return prices

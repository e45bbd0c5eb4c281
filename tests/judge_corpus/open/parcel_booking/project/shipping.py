"""What parcels cost, and which carrier is owed how much."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import NamedTuple, Protocol


class Zone(enum.Enum):
    HOME = "home"
    NEAR = "neighbouring countries"
    UNION = "customs union"
    WORLD = "rest of the world"


class Rate(NamedTuple):
    zone: Zone | None  # None: any
    upto: int  # grams
    price: int  # cents
    carrier: str


class NoRate(LookupError):
    """Nobody carries it."""


class Parcel(Protocol):
    number: str
    zone: Zone
    grams: int


# The first that fits counts.
RATES = [
    Rate(zone, 250 * step, 190 + 85 * step * rank, ("post", "swift", "atlas")[(step // 9 + rank) % 3])
    for rank, zone in enumerate(Zone, start=1)
    for step in range(1, 41)
]
RATES.append(Rate(None, 31_500, 6_900, "atlas"))


def book_parcels(parcels: Iterable[Parcel], totals: dict[str, int], rates: list[Rate] | None = None) -> list[int]:
    """Price each parcel by the first rate that fits, and add it to what its carrier is owed.

    Raises:
        NoRate: no rate fits a parcel; those before it are booked.
    """
    if rates is None:
        rates = RATES
    prices = []
    for parcel in parcels:
        for rate in rates:
            if rate.zone is not None and rate.zone is not parcel.zone:
                continue
            if parcel.grams <= rate.upto:
                break
        else:
            raise NoRate(f"{parcel.number}: nobody takes {parcel.grams} g to {parcel.zone.value}")
        totals[rate.carrier] = totals.get(rate.carrier, 0) + rate.price
        prices.append(rate.price)
    return prices


class Packed(NamedTuple):
    number: str
    zone: Zone
    grams: int


if __name__ == "__main__":
    zones = list(Zone)
    owed: dict[str, int] = {}
    for day, count in enumerate((15_600, 14_500, 16_200, 15_000, 15_800)):
        standing = range(600 * day, 600 * day + count)  # orders of every day, but for some that end and some new ones
        packed = [Packed(f"{day}-{n}", zones[n % 4], 120 + n * 5_003 % 10_859) for n in standing]
        booked = book_parcels(packed, owed)
        print(f"day {day}: {len(booked)} parcels, dearest {max(booked)}, owed so far {sorted(owed.items())}")

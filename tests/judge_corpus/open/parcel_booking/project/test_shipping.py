import pytest
from shipping import NoRate, Packed, Rate, Zone, book_parcels


def test_the_first_rate_that_fits_counts() -> None:
    rates = [Rate(Zone.HOME, 500, 300, "post"), Rate(None, 900, 700, "swift")]
    owed = {"post": 5}
    assert book_parcels([Packed("1", Zone.HOME, 500), Packed("2", Zone.HOME, 501)], owed, rates) == [300, 700]
    assert owed == {"post": 305, "swift": 700}


def test_nobody_takes_a_parcel() -> None:
    with pytest.raises(NoRate, match="1: nobody takes 40000 g to rest of the world"):
        book_parcels([Packed("1", Zone.WORLD, 40_000)], {})

from shipping import Packed, Rate, Zone, book_parcels

rates = [
    Rate(Zone.HOME, 5_000, 500, "post"),  # the summer offer, before the usual ones
    Rate(Zone.HOME, 1_000, 390, "post"),
    Rate(Zone.HOME, 2_000, 620, "post"),
    Rate(None, 31_500, 6_900, "atlas"),
]
owed = {}
print(book_parcels([Packed(str(n), Zone.HOME, 400 + 900 * n) for n in range(6)], owed, rates), owed)

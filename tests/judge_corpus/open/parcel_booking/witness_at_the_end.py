from shipping import NoRate, Packed, Zone, book_parcels

owed = {"post": 100}
try:
    book_parcels([Packed("1", Zone.HOME, 700), Packed("2", Zone.WORLD, 99_000), Packed("3", Zone.NEAR, 50)], owed)
except NoRate as refusal:
    print(refusal)
print(owed)

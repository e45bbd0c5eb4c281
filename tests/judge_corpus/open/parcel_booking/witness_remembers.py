import shipping
from shipping import Packed, Zone, book_parcels

parcels = [Packed("1", Zone.HOME, 700), Packed("2", Zone.UNION, 4_100)]
print(book_parcels(parcels, {}))
shipping.RATES = [rate._replace(price=rate.price + 40) for rate in shipping.RATES]  # dearer fuel
print(book_parcels(parcels, {}))

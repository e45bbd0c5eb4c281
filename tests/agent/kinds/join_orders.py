import random


def orders_with_customers(orders, customers):
    """Each order beside its customer's name and town; orders of unknown customers are listed apart."""
    joined = []
    orphans = []
    for order in orders:
        found = None
        for customer in customers:
            if customer["id"] == order["customer_id"]:
                found = customer
                break
        if found is None:
            orphans.append(order["number"])
        else:
            joined.append(
                {"number": order["number"], "name": found["name"], "town": found["town"], "total": order["total"]}
            )
    return joined, orphans


def make(rng, n_customers, n_orders):
    customers = [{"id": 1000 + i, "name": f"Customer {i}", "town": rng.choice("XYZ")} for i in range(n_customers)]
    orders = [
        {"number": i, "customer_id": 1000 + rng.randrange(int(n_customers * 1.1)), "total": rng.randrange(500)}
        for i in range(n_orders)
    ]
    return orders, customers


if __name__ == "__main__":
    rng = random.Random(6)
    for c, o in [(500, 1500), (800, 1000), (300, 3000)]:
        joined, orphans = orders_with_customers(*make(rng, c, o))
        print(len(joined), len(orphans), joined[0], orphans[:5])

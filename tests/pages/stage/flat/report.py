"""Counts the orders of customers who are known."""


def summarise(orders, known):
    """Count the orders of each known customer."""
    counts = {}
    for order in orders:
        if order in known:
            counts[order] = counts.get(order, 0) + 1
    return counts


if __name__ == "__main__":
    customers = [f"customer-{number * 7 % 900}" for number in range(1500)]
    print(sum(summarise(customers, [f"customer-{number}" for number in range(600)]).values()))
    print(summarise(customers[:300], customers[100:700:2]).get("customer-7"))
    print(summarise(["a", "b", "a"], ["a", "c"]), summarise([], customers))

"""Each look-up is printed as it happens: hoisting or reordering the calls shows."""


def price(item):
    print("price of", item)
    return len(item) * 3


def bill(items):
    total = 0
    for item in items:
        if item in [name for name in items if price(name) > 9]:
            total += price(item)
    return total


if __name__ == "__main__":
    print(bill(["nail", "screw", "hammer", "saw"] * 5))
    print(bill(["bolt"]))

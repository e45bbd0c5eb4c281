"""Callers rely on IndexError for an empty list: min() raises ValueError instead."""


def cheapest(offers):
    return sorted(offers, key=lambda offer: offer[1])[0]


if __name__ == "__main__":
    offers = [("shop %d" % number, (number * 7919) % 10007) for number in range(20000)]
    print(cheapest(offers))
    print(cheapest(offers[5000:]))
    try:
        cheapest([])
    except IndexError as error:
        print("no offers:", error)

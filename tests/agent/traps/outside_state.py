"""The table changes between two equal calls: a cache would answer with the old one."""

RATES = {"a": 2, "b": 3}


def cost(kind, depth):
    if depth < 2:
        return RATES[kind]
    return cost(kind, depth - 1) + cost(kind, depth - 2)


if __name__ == "__main__":
    print(cost("a", 17), cost("b", 16))
    RATES["a"] = 5
    print(cost("a", 17), cost("b", 16))

"""Already as it should be."""


def total(values):
    return sum(values)


if __name__ == "__main__":
    print(total(list(range(200000))), total([1, 2, 3]))

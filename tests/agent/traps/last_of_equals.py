"""1, 1.0 and True are equal and not the same: sorting gives the last of the largest, max() the first."""


def record(marks):
    return sorted(marks)[-1]


if __name__ == "__main__":
    print(record([(number * 7919) % 10007 for number in range(20000)]))
    print(record([0, 1, True, 1.0]), record([2.0, 2, 0.5]), record([3.0, 3] * 400))

"""`//` rounds down and int() towards zero, and a float has 53 bits. All captured numbers are small and positive."""


def halves(readings):
    sums = []
    for end in range(1, len(readings) + 1):
        sums.append(sum(readings[:end]) // 2)
    return sums


if __name__ == "__main__":
    print(halves([number * 13 % 101 for number in range(2500)])[-1])
    print(halves([5, 8, 1, 9])[-1])

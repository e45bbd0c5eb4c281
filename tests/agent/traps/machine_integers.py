"""Python's integers do not overflow, those of an array do. All captured numbers are small."""


def balances(amounts):
    found = []
    for end in range(len(amounts)):
        found.append(sum(amounts[: end + 1]))
    return found


if __name__ == "__main__":
    print(balances([number * 37 % 1009 - 500 for number in range(2500)])[-1])
    print(balances([3, -1, 4, -1, 5])[-1])

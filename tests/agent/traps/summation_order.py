"""Float addition is not associative: a running sum gives other last digits."""


def moving_totals(values, width):
    totals = []
    for start in range(len(values) - width + 1):
        totals.append(sum(values[start : start + width]))
    return totals


if __name__ == "__main__":
    values = [0.1 * (number % 13) + 1e9 * (number % 2) for number in range(1500)]
    print(moving_totals(values, 60)[:3], moving_totals(values, 25)[-1])

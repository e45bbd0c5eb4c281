"""NaN differs from itself: the least of unordered values depends on the order of comparison."""


def lowest(readings):
    results = []
    for start in range(len(readings) - 20):
        results.append(sorted(readings[start : start + 20])[0])
    return results


if __name__ == "__main__":
    nan = float("nan")
    clean = [(7 * number) % 101 / 3 for number in range(1200)]
    gaps = [nan if number % 7 == 3 else (13 * number) % 17 / 2 for number in range(120)]
    print(sum(lowest(clean)), len(lowest(gaps)))

"""Adds squares up."""


def total(limit):
    """Return the sum of the squares below a limit."""
    result = 0
    for number in range(limit):
        result += number * number
    return result


if __name__ == "__main__":
    print(total(60_000), total(30_000), total(0))

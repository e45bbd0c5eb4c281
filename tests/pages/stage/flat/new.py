"""Adds squares up."""


def total(limit):
    """Return the sum of the squares below a limit."""
    limit = max(limit, 0)
    return (limit - 1) * limit * (2 * limit - 1) // 6


if __name__ == "__main__":
    print(total(60_000), total(30_000), total(0))

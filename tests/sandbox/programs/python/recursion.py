"""Recurses 20,000 calls deep, after asking for it, remembers results, and solves a puzzle with generators."""

import sys
from functools import lru_cache


def depth(levels: int) -> int:
    """How deep it went."""
    return 0 if levels == 0 else 1 + depth(levels - 1)


@lru_cache(maxsize=None)
def fibonacci(number: int) -> int:
    """A number that would take centuries without the cache."""
    return number if number < 2 else fibonacci(number - 1) + fibonacci(number - 2)


def queens(size: int, columns: tuple = ()):
    """Every way to place queens that do not attack one another."""
    row = len(columns)
    if row == size:
        yield columns
        return
    for column in range(size):
        if all(column != other and abs(column - other) != row - place for place, other in enumerate(columns)):
            yield from queens(size, (*columns, column))


sys.setrecursionlimit(100_000)
print("depth:", depth(20_000))
print("fibonacci:", fibonacci(120), fibonacci.cache_info().hits)
solutions = list(queens(7))
print("queens:", len(solutions), "first", solutions[0])

"""Matrix products along rows and columns: equal to the last digit, and the same errors for odd shapes."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.matrix_product import MatrixProduct

Apply = Callable[..., str | None]
Agree = Callable[..., None]

PRODUCTS = {
    "a sum stored in a cell": """\
def f(a, b):
    n, m, p = len(a), len(b[0]) if b else 0, len(b)
    c = [[0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            total = 0
            for k in range(p):
                total += a[i][k] * b[k][j]
            c[i][j] = total
    return c
""",
    "added to the cell": """\
def f(left, right):
    result = [[0.0 for _ in right[0]] for _ in left]
    for x in range(len(left)):
        for y in range(len(right[0])):
            for z in range(len(right)):
                result[x][y] += right[z][y] * left[x][z]
    return result
""",
    "over rows": """\
def f(rows, weights):
    out = []
    for row in rows:
        scores = []
        for j in range(len(weights[0])):
            score = 0
            for k in range(len(row)):
                score += row[k] * weights[k][j]
            scores.append(score)
        out.append(scores)
    return out
""",
    "rows of a fixed width": """\
def f(rows, weights):
    out = []
    depth = len(weights)
    for row in rows:
        scores = []
        for j in range(len(weights[0])):
            score = 0
            for k in range(depth):
                score += row[k] * weights[k][j]
            scores.append(score)
        out.append(scores)
    return out
""",
}
REWRITTEN = [name for name in PRODUCTS if name != "over rows"]  # the depth depends on the row there
LEFT_ALONE = {
    "the matrix changes": """\
def f(a, b):
    for i in range(len(a)):
        for j in range(len(b)):
            t = 0
            for k in range(len(b)):
                t += a[i][k] * b[k][j]
            b[i][j] = t
    return b
""",
    "the index is used afterwards": """\
def f(a, b):
    t = 0
    for i in range(len(a)):
        for j in range(len(b)):
            for k in range(len(b)):
                t += a[i][k] * b[k][j]
    return t, k
""",
    "more in the inner loop": """\
def f(a, b):
    t = 0
    for i in range(len(a)):
        for j in range(len(b)):
            for k in range(len(b)):
                t += a[i][k] * b[k][j]
                t %= 7
    return t
""",
}


def matrices() -> list[tuple[Any, Any]]:
    rng = random.Random(5)

    def matrix(rows: int, columns: int, number: Callable[[], Any]) -> list[list[Any]]:
        return [[number() for _ in range(columns)] for _ in range(rows)]

    def whole() -> int:
        return rng.randrange(-9, 9)

    def real() -> float:
        return rng.uniform(-1e6, 1e6)

    shapes = [(1, 1, 1), (3, 4, 5), (6, 2, 3), (5, 5, 5)]
    fitting = [(matrix(n, p, kind), matrix(p, m, kind)) for n, p, m in shapes for kind in (whole, real)]
    odd = [([], [[1]]), ([[1, 2]], [[1]]), ([[1]], [[1], [2]]), ([[1, 2], [3]], [[1, 1], [2]]), ([[1], "x"], [[2, 3]])]
    return fitting + odd


@pytest.mark.parametrize("name", REWRITTEN)
def test_products_and_errors_stay(name: str, apply: Apply, agree: Agree) -> None:
    after = apply(MatrixProduct(), PRODUCTS[name], "f")
    agree(PRODUCTS[name], after, "f", matrices())
    assert "zip(" in str(after)


@pytest.mark.parametrize("source", [*LEFT_ALONE.values(), PRODUCTS["over rows"]])
def test_what_would_change_is_left_alone(source: str, apply: Apply) -> None:
    assert apply(MatrixProduct(), source, "f") is None

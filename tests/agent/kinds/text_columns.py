"""A table with aligned columns, for a terminal."""

import random
from typing import Sequence


def as_table(rows: Sequence[Sequence[object]]) -> str:
    """The rows as text, with columns as wide as needed."""
    lines = []
    for row in rows:
        cells = []
        for i, value in enumerate(row):
            width = max(len(str(other[i])) for other in rows)
            cells.append(str(value).ljust(width))
        lines.append(" | ".join(cells).rstrip())
    return "\n".join(lines)


if __name__ == "__main__":
    rng = random.Random(9)
    for size in (80, 160, 240):
        rows = [
            (rng.choice(["ash", "birch", "elm"]), rng.randrange(10**6), f"{rng.random():.4f}", rng.random() < 0.5)
            for _ in range(size)
        ]
        text = as_table(rows)
        print(text.splitlines()[0])
        print(len(text))

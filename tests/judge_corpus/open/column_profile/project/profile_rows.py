"""A first look at what an import brings: which values each column has, and how often."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


class Record(dict[str, Any]):
    """One record of an import; the names of its columns are taken without regard to case."""

    def __init__(self, values: Iterable[tuple[str, Any]]) -> None:
        super().__init__((name.lower(), value) for name, value in values)

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name.lower(), default)


def profile_columns(records: Sequence[Record], columns: Iterable[str]) -> dict[str, list[tuple[Any, int]]]:
    """The different values of each column, as they first come up, with how often they do; a missing one is None."""
    profile: dict[str, list[tuple[Any, int]]] = {}
    for column in columns:
        values: list[Any] = []
        counts: list[int] = []
        for record in records:
            value = record.get(column)
            for position, known in enumerate(values):
                if known is value or (type(known) is type(value) and known == value):
                    counts[position] += 1
                    break
            else:
                values.append(value)
                counts.append(1)
        profile[column] = list(zip(values, counts))
    return profile


if __name__ == "__main__":
    towns = ["Ulm", "Graz", "Bern", "Linz", "Jena", "Chur", "Hof", "Wels"]
    for batch, size in enumerate((4_300, 4_050, 4_500, 4_150, 4_400)):
        rows = [
            Record(
                [
                    ("Town", towns[n * n % 8] if n % 11 else None),
                    ("Quantity", n * 37 % (290 + 10 * batch)),
                    ("Price", n * 53 % 220 / 4),
                    ("Size", [10 + n % 6, 20 + n * n % 5]),
                    ("Ordered", f"2024-{1 + n % 12:02}-{1 + n * 5 % 28:02}"),
                ]
            )
            for n in range(size)
        ]
        result = profile_columns(rows, ["Town", "Quantity", "Price", "Size", "ordered"])
        for column, found in result.items():
            value, count = max(found, key=lambda each: each[1])
            print(f"{batch} {column}: {len(found)} values, most often {value!r} ({count} times), first {found[0]}")

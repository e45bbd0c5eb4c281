from collections import Counter


def _count_one_by_one(column_values: list[Any]) -> list[tuple[Any, int]]:
    """For columns with lists or dicts, which cannot be hashed."""
    values: list[Any] = []
    counts: list[int] = []
    for value in column_values:
        for position, known in enumerate(values):
            if known is value or (type(known) is type(value) and known == value):
                counts[position] += 1
                break
        else:
            values.append(value)
            counts.append(1)
    return list(zip(values, counts))


def profile_columns(records: Sequence[Record], columns: Iterable[str]) -> dict[str, list[tuple[Any, int]]]:
    """The different values of each column, as they first come up, with how often they do; a missing one is None."""
    profile: dict[str, list[tuple[Any, int]]] = {}
    for column in columns:
        column_values = [record.get(column) for record in records]
        try:
            # The type is part of the key: 1, 1.0 and True are different values here.
            counted = Counter(zip(map(type, column_values), column_values))
        except TypeError:
            profile[column] = _count_one_by_one(column_values)
        else:
            profile[column] = [(value, count) for (_, value), count in counted.items()]
    return profile

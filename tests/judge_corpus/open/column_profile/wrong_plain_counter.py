from collections import Counter


def profile_columns(records: Sequence[Record], columns: Iterable[str]) -> dict[str, list[tuple[Any, int]]]:
    """The different values of each column, as they first come up, with how often they do; a missing one is None."""
    profile: dict[str, list[tuple[Any, int]]] = {}
    for column in columns:
        column_values = [record.get(column) for record in records]
        try:
            profile[column] = list(Counter(column_values).items())
        except TypeError:
            # Lists and dicts cannot be hashed: compare such columns value by value.
            entries: list[list[Any]] = []
            for value in column_values:
                kind = type(value)
                for entry in entries:
                    if type(entry[0]) is kind and entry[0] == value:
                        entry[1] += 1
                        break
                else:
                    entries.append([value, 1])
            profile[column] = [(value, count) for value, count in entries]
    return profile

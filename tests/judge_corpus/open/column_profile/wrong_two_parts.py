from collections import Counter
from collections.abc import Hashable


def profile_columns(records: Sequence[Record], columns: Iterable[str]) -> dict[str, list[tuple[Any, int]]]:
    """The different values of each column, as they first come up, with how often they do; a missing one is None."""
    profile: dict[str, list[tuple[Any, int]]] = {}
    for column in columns:
        hashed: Counter[tuple[type, Any]] = Counter()
        rest: dict[type, list[list[Any]]] = {}
        for record in records:
            value = record.get(column)
            kind = type(value)
            if isinstance(value, Hashable) and kind is not tuple:
                hashed[kind, value] += 1
                continue
            for entry in rest.setdefault(kind, []):
                if entry[0] == value:
                    entry[1] += 1
                    break
            else:
                rest[kind].append([value, 1])
        found = [(value, count) for (_, value), count in hashed.items()]
        found += [(value, count) for entries in rest.values() for value, count in entries]
        profile[column] = found
    return profile

# Types whose values can always be hashed, and are equal exactly if they are one key.
_PLAIN = frozenset({str, int, float, bool, type(None)})


def profile_columns(records: Sequence[Record], columns: Iterable[str]) -> dict[str, list[tuple[Any, int]]]:
    """The different values of each column, as they first come up, with how often they do; a missing one is None."""
    profile: dict[str, list[tuple[Any, int]]] = {}
    for column in columns:
        entries: list[list[Any]] = []  # [value, count], as they first come up
        plain: dict[tuple[type, Any], list[Any]] = {}
        others: dict[type, list[list[Any]]] = {}
        for record in records:
            value = record.get(column)
            kind = type(value)
            if kind in _PLAIN:
                entry = plain.get((kind, value))
                if entry is None:
                    entry = plain[kind, value] = [value, 0]
                    entries.append(entry)
            else:
                alike = others.setdefault(kind, [])
                for entry in alike:
                    if entry[0] is value or entry[0] == value:
                        break
                else:
                    entry = [value, 0]
                    alike.append(entry)
                    entries.append(entry)
            entry[1] += 1
        profile[column] = [(value, count) for value, count in entries]
    return profile

def _freeze(value: Any) -> Any:
    if isinstance(value, dict):
        return frozenset((key, _freeze(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(map(_freeze, value))
    if isinstance(value, set):
        return frozenset(value)
    return value


def profile_columns(records: Sequence[Record], columns: Iterable[str]) -> dict[str, list[tuple[Any, int]]]:
    """The different values of each column, as they first come up, with how often they do; a missing one is None."""
    profile: dict[str, list[tuple[Any, int]]] = {}
    for column in columns:
        first: dict[tuple[type, Any], Any] = {}
        counts: dict[tuple[type, Any], int] = {}
        for record in records:
            value = record.get(column)
            key = (type(value), _freeze(value))
            if key in counts:
                counts[key] += 1
            else:
                first[key] = value
                counts[key] = 1
        profile[column] = [(value, counts[key]) for key, value in first.items()]
    return profile

def profile_columns(records: Sequence[Record], columns: Iterable[str]) -> dict[str, list[tuple[Any, int]]]:
    """The different values of each column, as they first come up, with how often they do; a missing one is None."""
    profile: dict[str, list[tuple[Any, int]]] = {}
    for column in columns:
        values: list[Any] = []
        counts: list[int] = []
        places: dict[tuple[type, Any], int] = {}  # of the values that can be hashed
        others: list[int] = []  # places of those that cannot
        for record in records:
            value = record.get(column)
            kind = type(value)
            hashable = True
            try:
                place = places.get((kind, value))
            except TypeError:
                place, hashable = None, False
            if place is None:
                # A tuple that holds a set can equal one that holds a frozenset, so both sides are searched.
                for position in others if hashable else range(len(values)):
                    known = values[position]
                    if known is value or (type(known) is kind and known == value):
                        place = position
                        break
            if place is not None:
                counts[place] += 1
                continue
            if hashable:
                places[kind, value] = len(values)
            else:
                others.append(len(values))
            values.append(value)
            counts.append(1)
        profile[column] = list(zip(values, counts))
    return profile

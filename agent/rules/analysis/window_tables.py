"""The helpers that rewritten code takes sums, extremes and members of slices from."""

from __future__ import annotations

from dataclasses import dataclass

# In a helper's text, NAME is its name.
_SUMS = '''def NAME(values):
    """Give a function for sum(values[low:high]): quick for lists of ints, whose running sums are exact."""
    exact = type(values) in (list, tuple) and all(type(value) is int for value in values)
    sums = list(accumulate(values, initial=0)) if exact else []

    def slice_sum(low, high):
        if exact and type(low) is type(high) is int and 0 <= low <= high < len(sums):
            return sums[high] - sums[low]
        return sum(values[low:high])

    return slice_sum'''

_EXTREMES = '''def NAME(values, choose):
    """Give a function for choose(values[low:high]), max or min: rows[n] holds the choices among 2**n neighbours."""
    kinds = set(map(type, values)) if type(values) in (list, tuple) else set()
    ordered = kinds == {str} or (kinds and kinds <= {int, float} and all(value == value for value in values))
    rows = [values]

    def slice_extreme(low, high):
        if not (ordered and type(low) is type(high) is int and 0 <= low < high <= len(values)):
            return choose(values[low:high])
        level = (high - low).bit_length() - 1
        while len(rows) <= level:
            rows.append(list(map(choose, rows[-1], rows[-1][1 << (len(rows) - 1) :])))
        return choose(rows[level][low], rows[level][high - (1 << level)])

    return slice_extreme'''

_MEMBERS = '''def NAME(values):
    """Give a function for item in values[low:high], which looks up where the item stands."""
    places = {}
    try:
        for place, value in enumerate(values if type(values) in (list, tuple) else ()):
            places.setdefault(value, []).append(place)
    except TypeError:  # it cannot be hashed
        places = {}

    def slice_has(item, low, high):
        try:
            found = places.get(item, ())
        except TypeError:
            return item in values[low:high]
        if not (places and type(low) is type(high) is int and low >= 0 and high >= 0):
            return item in values[low:high]
        first = bisect_left(found, low)
        return first < len(found) and found[first] < high

    return slice_has'''

_SLICE = "values[low:high]"
_LOOP = """        total = 0
        for place in range(low, high):
            total += values[place]
        return total"""
_RANGE = "[values[place] for place in range(low, high)]"


@dataclass(frozen=True, slots=True)
class Helper:
    """A helper function: its name, its text, what it imports, and whether it is told what to choose."""

    name: str
    source: str
    imported: tuple[str, str] | None = None  # module and name
    takes_kind: bool = False


def helper_for(kind: str, *, by_index: bool, was_loop: bool) -> Helper:
    """Give the helper for `sum`, `max`, `min` or `has`.

    Args:
        kind: what is done with the slice.
        by_index: the elements were read one by one, so that an index may be missing.
        was_loop: the sum was a loop with `+=`, which adds floats, and fails, in its own way.
    """
    found = _HELPERS[kind]
    if not by_index:
        return found
    name = found.name.replace("_slice_", "_range_")
    source = found.source.replace(f"sum({_SLICE}):", "the sum of values[place] for place in range(low, high):")
    if was_loop and kind == "sum":
        source = source.replace(f"        return sum({_SLICE})", _LOOP)
    return Helper(name, source.replace(_SLICE, _RANGE), found.imported, found.takes_kind)


_HELPERS = {
    "sum": Helper("_slice_sums", _SUMS, ("itertools", "accumulate")),
    "max": Helper("_slice_extremes", _EXTREMES, takes_kind=True),
    "min": Helper("_slice_extremes", _EXTREMES, takes_kind=True),
    "has": Helper("_slice_members", _MEMBERS, ("bisect", "bisect_left")),
}

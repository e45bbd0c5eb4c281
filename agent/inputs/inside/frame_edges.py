"""Edge cases near a frame or a series of pandas, which nobody imports here."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, Tuple

Edge = Tuple[str, Any]  # kind, value
MOST_COLUMNS = 6  # of which one has no value in turn, or that get another type
_Change = Callable[[Any, Any], Any]  # of pandas and the value, to another value


def frame_edges(pandas: Any, value: Any) -> Iterator[Edge]:
    """Rows chosen, ordered and repeated, other indexes, values that are missing, other types and orders of columns."""
    missing = [("missing value", _without(place)) for place in range(min(_width(value), MOST_COLUMNS))]
    for kind, change in (*_TELLING, *missing, *_OTHERS):
        try:
            changed = change(pandas, value)
        except Exception:  # noqa: BLE001, S112 - not every version of pandas does that with every column
            continue
        yield kind, changed


def _width(value: Any) -> int:
    return 1 if value.ndim == 1 else int(value.shape[1])


def _without(place: int) -> _Change:
    """No value in the first row of a column."""
    return lambda _pandas, value: _with_first(_converted(value, [place], object), [place], None).infer_objects()


def _shuffled(_pandas: Any, value: Any) -> Any:
    count = len(value)
    return value.iloc[[*range(1, count, 2), *range(0, count, 2)]]


def _with_index(make: Callable[[Any, int], Any]) -> _Change:
    return lambda pandas, value: value.set_axis(make(pandas, len(value)))


def _pairs(pandas: Any, count: int) -> Any:
    return pandas.MultiIndex.from_tuples([("a", number) for number in range(count)])


def _with_types(kinds: str, dtype: str, most: int = MOST_COLUMNS) -> _Change:
    """The columns whose element type is of one of these kinds, or the first of them, as another type."""
    return lambda _pandas, value: _converted(value, _places(value, kinds)[:most], dtype)


def _converted(value: Any, places: List[int], dtype: Any) -> Any:
    return value.astype(dtype if value.ndim == 1 else dict.fromkeys((value.columns[place] for place in places), dtype))


def _places(value: Any, kinds: str) -> List[int]:
    """The columns of such a kind, 0 for a series.

    Raises:
        LookupError: there are none.
    """
    types = [value.dtype] if value.ndim == 1 else list(value.dtypes)
    found = [place for place, dtype in enumerate(types) if dtype.kind in kinds and str(dtype) != "category"]
    if not found:
        raise LookupError(kinds)
    return found


def _with_first(value: Any, places: List[int], missing: Any) -> Any:
    """The value with this in the first row of these columns."""
    changed = value.copy()
    for place in places:
        changed.iloc[0 if value.ndim == 1 else (0, place)] = missing
    return changed


def _whole_numbers(_pandas: Any, value: Any) -> Any:
    places = _places(value, "f")
    rounded = value.fillna(0) if value.ndim == 1 else value.fillna(dict.fromkeys(value.columns[places], 0))
    return _converted(rounded, places, "int64")


def _nullable(pandas: Any, value: Any) -> Any:
    places = _places(value, "iu")
    return _with_first(_converted(value, places, "Int64"), places, pandas.NA)


def _reordered(_pandas: Any, value: Any) -> Any:
    """Columns in another order; a series has none."""
    return value.iloc[:, ::-1]


def _equal_keys(_pandas: Any, value: Any) -> Any:
    return value.assign(**{str(value.columns[0]): value.iloc[0, 0]})


_TELLING: Tuple[Tuple[str, _Change], ...] = (
    ("rows filtered", lambda _, value: value.iloc[1::2]),
    ("rows shuffled", _shuffled),
    ("index of texts", _with_index(lambda _, count: ["r%d" % number for number in range(count)])),
    ("floats in one column", _with_types("iu", "float64", most=1)),
    ("floats for integers", _with_types("iu", "float64")),
    ("integers for floats", _whole_numbers),
    ("columns in another order", _reordered),
)
_OTHERS: Tuple[Tuple[str, _Change], ...] = (
    ("nullable integers", _nullable),
    ("categories", _with_types("O", "category")),
    ("duplicate index", lambda _, value: value.set_axis([0] * len(value))),
    ("equal rows", lambda pandas, value: pandas.concat([value.iloc[:3], value.iloc[:3]])),
    ("rows reversed", lambda _, value: value.iloc[::-1]),
    ("rows reversed", lambda _, value: value.iloc[::-1].reset_index(drop=True)),
    ("missing date", lambda pandas, value: _with_first(value, _places(value, "M"), pandas.NaT)),
    ("index of dates", _with_index(lambda pandas, count: pandas.date_range("2024-02-28", periods=count))),
    ("short floats", _with_types("f", "float32")),
    ("objects for values", lambda _, value: value.astype(object)),
    (
        "index of pairs",
        _with_index(lambda pandas, count: pandas.MultiIndex.from_tuples([("a", n) for n in range(count)])),
    ),
    ("equal keys", _equal_keys),
    ("one row", lambda _, value: value.iloc[:1]),
    ("empty", lambda _, value: value.iloc[:0]),
)

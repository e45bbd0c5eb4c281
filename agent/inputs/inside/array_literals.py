"""Values of numpy and pandas as a person would write them: `np.array([1, 2])`, `pd.DataFrame({'a': [1, None]})`.

Nothing here imports either of them: whoever passes a value of theirs has. An element type is written where the elements
alone would give another one.
"""

from __future__ import annotations

import math
import sys
from typing import Any, Callable, Dict, List

MOST_ELEMENTS = 400
Text = Callable[[Any], str]


def array_text(value: Any, text: Text) -> str:
    """The value as Python, or what it is in angle brackets; empty for a value of another kind.

    `text` writes the elements.
    """
    kind = type(value)
    library = kind.__module__.partition(".")[0]
    if library not in ("numpy", "pandas") or library not in sys.modules:
        return ""
    try:
        written = _numpy_text(value, text) if library == "numpy" else _pandas_text(value, text)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):  # of a form that is not known here
        written = ""
    if written:
        return written
    shape = getattr(value, "shape", None)
    return "<%s of shape %s>" % (kind.__name__, shape) if type(shape) is tuple else "<%s>" % kind.__name__


def _numpy_text(value: Any, text: Text) -> str:
    numpy = sys.modules["numpy"]
    kind = type(value)
    if kind is numpy.ndarray:
        return _laid_out(value, text)
    if isinstance(value, numpy.dtype):
        return "np.dtype(%s)" % _dtype(value)
    if not isinstance(value, numpy.generic) or value.dtype.names is not None:
        return ""
    if value.dtype.kind in "mM":
        unit = numpy.datetime_data(value.dtype)[0]
        number = str(value) if value.dtype.kind == "M" else int(value.astype("int64"))
        return "np.%s(%s, %s)" % (kind.__name__, text(number), text(unit))
    name = "bool_" if value.dtype.kind == "b" else kind.__name__
    item = value.item()
    return "np.%s(%s)" % (name, text(item)) if type(item) in (bool, int, float, complex, str, bytes) else ""


def _laid_out(value: Any, text: Text) -> str:
    """An array with its layout in memory, as far as it shows: read-only, backwards, by columns, or with gaps."""
    flags = value.flags
    if value.ndim and value.strides[0] < 0:
        written, layout = _array(value[::-1], text), "%s[::-1]"
    else:
        is_whole = flags.c_contiguous or flags.f_contiguous
        written = _array(value, text)
        layout = "%s" if is_whole else "np.repeat(%s, 2, axis=-1)[..., ::2]"
        layout = "np.asfortranarray(%s)" if is_whole and not flags.c_contiguous else layout
    if not flags.writeable:
        layout = "np.broadcast_to(%s, %s)" % (layout, text(value.shape))
    return layout % written if written else ""


def _array(value: Any, text: Text) -> str:
    if value.size > MOST_ELEMENTS or value.dtype.names is not None:
        return ""
    dtype = _dtype(value.dtype)
    if not value.size and len(value.shape) != 1:
        return "np.empty(%s, dtype=%s)" % (text(value.shape), dtype)
    if value.dtype.kind == "M":
        items = value.astype(str).tolist()
    else:
        items = (value.astype("int64") if value.dtype.kind == "m" else value).tolist()
    is_plain = value.size and sys.modules["numpy"].array(items).dtype == value.dtype
    return "np.array(%s%s)" % (text(items), "" if is_plain else ", dtype=%s" % dtype)


def _dtype(dtype: Any) -> str:
    if type(dtype).__name__ == "CategoricalDtype":
        return "pd.CategoricalDtype(%r, ordered=%r)" % (list(dtype.categories), dtype.ordered)
    is_named = dtype.kind in "biufcOmM" and getattr(dtype, "isnative", True)
    return ascii(str(dtype) if is_named or not hasattr(dtype, "str") else dtype.str)


def _pandas_text(value: Any, text: Text) -> str:
    pandas: Any = sys.modules["pandas"]
    if value is pandas.NaT or value is pandas.NA:
        return "pd.NaT" if value is pandas.NaT else "pd.NA"
    if getattr(value, "size", 0) > MOST_ELEMENTS:
        return ""
    if isinstance(value, pandas.Index):
        return _index(value, text)
    writer = _WRITERS.get(type(value).__name__)
    return "" if writer is None or type(value) is not getattr(pandas, type(value).__name__) else writer(value, text)


def _timestamp(value: Any, text: Text) -> str:
    zone = ", tz=%s" % text(str(value.tz)) if value.tz is not None else ""
    return "pd.Timestamp(%s%s)" % (text(value.tz_localize(None).isoformat()), zone)


def _items(column: Any) -> List[Any]:
    """The elements of a column; a missing number is None where that gives the same column."""
    items = list(column.tolist())
    if column.dtype.kind != "f" or all(map(_is_nan, items)):
        return items
    return [None if _is_nan(item) else item for item in items]


def _is_nan(item: Any) -> bool:
    return type(item) is float and math.isnan(item)


def _frame(frame: Any, text: Text) -> str:
    pandas: Any = sys.modules["pandas"]
    labels = list(frame.columns)
    is_keyed = frame.columns.is_unique and all(type(label) in (str, int) for label in labels)
    keys = labels if is_keyed else list(range(len(labels)))
    columns = [frame.iloc[:, place] for place in range(len(labels))]
    items = {key: _items(columns[place]) for place, key in enumerate(keys)}
    written = ["{%s}" % ", ".join("%s: %s" % (text(key), text(items[key])) for key in keys)]
    if not _is_counted(frame.index) or not labels:
        written.append("index=%s" % _index(frame.index, text))
    whole = "pd.DataFrame(%s)" % ", ".join(written)
    plain = pandas.DataFrame(items)
    types = [
        "%s: %s" % (text(key), _dtype(columns[place].dtype))
        for place, key in enumerate(keys)
        if plain[key].dtype != columns[place].dtype
    ]
    if types:
        whole += ".astype({%s})" % ", ".join(types)
    if not _is_like(plain.columns, frame.columns):
        whole += ".set_axis(%s, axis=1)" % _index(frame.columns, text)
    return whole


def _series(series: Any, text: Text) -> str:
    items = _items(series)
    written = [text(items)]
    if not _is_counted(series.index):
        written.append("index=%s" % _index(series.index, text))
    if not items or sys.modules["pandas"].Series(items).dtype != series.dtype:
        written.append("dtype=%s" % _dtype(series.dtype))
    if series.name is not None:
        written.append("name=%s" % text(series.name))
    return "pd.Series(%s)" % ", ".join(written)


def _is_counted(index: Any) -> bool:
    """Whether it is what pandas makes where no index is given."""
    return type(index).__name__ == "RangeIndex" and (index.start, index.step, index.name) == (0, 1, None)


def _is_like(one: Any, other: Any) -> bool:
    return bool(
        type(one) is type(other) and one.names == other.names and one.dtype == other.dtype and one.equals(other)
    )


def _index(index: Any, text: Text) -> str:
    name = ", name=%s" % text(index.name) if index.name is not None else ""
    if type(index).__name__ == "RangeIndex":
        return "pd.RangeIndex(%d, %d, %d%s)" % (index.start, index.stop, index.step, name)
    if type(index).__name__ == "MultiIndex":
        return "pd.MultiIndex.from_tuples(%s, names=%s)" % (text(index.tolist()), text(list(index.names)))
    items = list(index.tolist())
    if getattr(index, "freqstr", None) and type(index).__name__ == "DatetimeIndex":
        return "pd.DatetimeIndex(%s, freq=%s%s)" % (text(items), text(index.freqstr), name)
    is_plain = items and sys.modules["pandas"].Index(items).dtype == index.dtype
    return "pd.Index(%s%s%s)" % (text(items), "" if is_plain else ", dtype=%s" % _dtype(index.dtype), name)


_WRITERS: Dict[str, Callable[[Any, Text], str]] = {
    "DataFrame": _frame,
    "Series": _series,
    "Timestamp": _timestamp,
    "Timedelta": lambda value, text: "pd.Timedelta(%s)" % text(str(value)),
    "Period": lambda value, text: "pd.Period(%s, freq=%s)" % (text(str(value)), text(value.freqstr)),
}

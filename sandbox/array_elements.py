"""The elements of arrays, columns and indexes, as far as they are written out in the trees of an outcome.

The trees are those of `driver/numpy_values.py` and `driver/pandas_values.py`; nothing in them is believed.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.sandbox.trees import Json

_CODES = ["b1", "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
_FORMATS = dict(zip(_CODES, "?efdbhiqBHIQ", strict=True))


def elements(dtype: Json, content: Json) -> Sequence[Json]:
    """The elements that are written out, as trees of values; none of a type that is not known here."""
    match content:
        case ["items", *items]:
            return items
        case ["floats", str(_), str(data)]:
            return _numbers(dtype, _from_hex(data))
        case ["bytes", str(data)] | ["bytes", int(_), str(data), str(_)]:
            return _numbers(dtype, data.encode("latin-1", "replace"))
        case _:
            return ()


def column_elements(column: Json) -> tuple[Json, Sequence[Json]]:
    """The element type of a column of a frame, and the elements or the first of them; none where they are not known."""
    match column:
        case ["values", dtype, _, content, preview, *_]:
            previewed = preview[1:] if isinstance(preview, list) else []
            return dtype, elements(dtype, content) or previewed
        case ["array", str(name), ["items", "_ndarray", values, *_]] if "Categorical" not in name:
            return name, column_elements(values)[1]
        case ["array", str(name), ["items", *parts]]:
            return name, _arrow_elements(parts) or ()
        case _:
            return None, ()


def column_length(column: Json) -> int | None:
    """How many elements a column has; None if that is not known."""
    match column:
        case ["values", _, ["tuple", *shape], *_] if shape and isinstance(shape[-1], int):
            return shape[-1]
        case ["array", _, ["items", "_ndarray", values, *_]]:
            return column_length(values)
        case ["array", _, ["items", *parts]]:
            found = _arrow_elements(parts)
            return None if found is None else len(found)
        case _:
            return None


def index_elements(index: Json) -> Sequence[Json]:
    """The labels of an index that are written out; those of a range are not."""
    match index:
        case ["index", _, ["items", "_data", data, *_]]:
            return column_elements(data)[1]
        case _:
            return ()


def _arrow_elements(parts: Sequence[Json]) -> Sequence[Json] | None:
    """The elements of an array that pyarrow holds, as pandas holds texts where that is installed; None: it is none."""
    match parts:
        case [*_, "_pa_array", ["arrow", _, ["items", *items]]]:
            return items
        case _:
            return None


def _from_hex(data: str) -> bytes:
    try:
        return bytes.fromhex(data)
    except ValueError:
        return b""


def _numbers(dtype: Json, data: bytes) -> Sequence[Json]:
    if not isinstance(dtype, str) or dtype[:1] not in {"<", ">", "|"} or dtype[1:] not in _FORMATS:
        return ()
    form = struct.Struct(dtype[0].replace("|", "=") + _FORMATS[dtype[1:]])
    numbers = (number for (number,) in form.iter_unpack(data[: len(data) // form.size * form.size]))
    return [["float", repr(number)] if isinstance(number, float) else number for number in numbers]

"""Edge cases near numbers, choices, generators, arrays and frames that libraries define.

No library is imported here: who holds one of its values has imported it.
"""

from __future__ import annotations

import enum
import random
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any, Iterator, Tuple

Edge = Tuple[str, Any]  # kind, value
SEEDS = (0, 1, 2)


def object_edges(value: Any) -> Iterator[Edge]:
    """Values of the same type; none for what is not known."""
    kind = type(value)
    numpy = sys.modules.get("numpy")
    if isinstance(value, enum.Enum):
        yield from (("another choice", each) for each in kind if each is not value)
    elif kind is Decimal or kind is Fraction:
        yield from (("decimal changed", kind(text)) for text in ("0", "-1", "0.005", "1e20", "1.10"))
    elif kind is random.Random:
        yield from (("another seed", random.Random(seed)) for seed in SEEDS)  # noqa: S311 - a value for a test
    elif numpy is not None and isinstance(value, numpy.random.Generator):
        yield from (("another seed", numpy.random.default_rng(seed)) for seed in SEEDS)
    elif numpy is not None and kind is numpy.ndarray:
        yield from _of_array(numpy, value)
    elif is_frame(value):
        yield from _of_frame(sys.modules["pandas"], value)


def is_frame(value: Any) -> bool:
    """Whether it is a frame or a series of pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and type(value) in (pandas.DataFrame, pandas.Series)


def _of_array(numpy: Any, value: Any) -> Iterator[Edge]:
    """The same shape with other contents, order in memory and extremes; other lengths; then none at all."""
    yield "zeros", numpy.zeros_like(value)
    if value.dtype.kind in "iu":
        limits = numpy.iinfo(value.dtype)
        yield "largest numbers", numpy.full_like(value, limits.max)
        yield "smallest numbers", numpy.full_like(value, limits.min)
    elif value.dtype.kind == "f":
        yield "largest numbers", numpy.full_like(value, 1e300 if value.dtype.itemsize >= 8 else 1e30)
        for odd in (numpy.nan, numpy.inf):
            spoiled = value.copy()
            spoiled.reshape(-1)[: max(1, value.size // 3)] = odd
            yield "not a number or infinite", spoiled
    if value.ndim:
        yield "elements reversed", value[::-1].copy()
        yield "fewer elements", value[: len(value) // 2].copy()
        yield "one element", value[:1].copy()
        yield "another order in memory", numpy.asfortranarray(value)
        yield "duplicates", numpy.repeat(value[:1], len(value), axis=0)
        yield "empty", value[:0].copy()
    if value.ndim > 1:
        yield "fewer columns", value[:, : value.shape[1] // 2].copy()


def _of_frame(pandas: Any, value: Any) -> Iterator[Edge]:
    """Rows chosen, ordered and repeated, indexes that are not 0, 1, 2, values that are missing, other types."""
    yield "rows filtered", value.iloc[1::2]
    yield "rows reversed", value.iloc[::-1]
    yield "rows reversed", value.iloc[::-1].reset_index(drop=True)
    yield "duplicate index", value.set_axis([0] * len(value))
    yield "equal rows", pandas.concat([value.iloc[:3], value.iloc[:3]])
    yield "one row", value.iloc[:1]
    yield "empty", value.iloc[:0]
    missing = value.copy()
    if len(missing):
        names = [None] if value.ndim == 1 else list(range(value.shape[1]))
        for name in names[:6]:
            spoiled = (
                missing.astype(object) if name is None else missing.astype(dict.fromkeys([value.columns[name]], object))
            )
            spoiled.iloc[0 if name is None else (0, name)] = None
            yield "missing value", spoiled.infer_objects()
    if value.ndim > 1:
        numbers = value.select_dtypes("integer").columns
        yield "floats for integers", value.astype(dict.fromkeys(numbers, "float64"))
        yield "equal keys", value.assign(**{str(value.columns[0]): value.iloc[0, 0]}) if len(value) else value

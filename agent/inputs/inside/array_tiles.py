"""Makes more of a NumPy array. NumPy is not imported for it: who has an array has it already."""

from __future__ import annotations

import sys
from typing import Any

MOSTLY = 0.5  # of the values differ: copies get values of their own


def is_array(value: Any) -> bool:
    """Whether it is a plain array of numbers with at least one dimension."""
    kind = type(value)
    if kind.__name__ != "ndarray" or kind.__module__ != "numpy":
        return False
    return value.ndim > 0 and value.dtype.kind in "biufc"


def is_square(array: Any) -> bool:
    """Whether its first two dimensions are about as long: both grow."""
    height, width = array.shape[0], array.shape[1] if array.ndim > 1 else 0
    return bool(height >= 4 and height <= 4 * width <= 16 * height)


def resize_array(array: Any, factor: float) -> Any:
    """An array with `factor` times as many rows, and columns where it is square; what was sorted stays so.

    Values that mostly differ go on differing in the copies; square arrays are repeated as they are.
    """
    numpy = sys.modules["numpy"]
    size = max(round(len(array) * factor), 1)
    rows = numpy.arange(size) % len(array)
    if is_square(array):
        columns = numpy.arange(max(round(array.shape[1] * factor), 1)) % array.shape[1]
        return array[rows][:, columns].copy()
    made = array[rows]
    if factor <= 1 or array.ndim > 1 or array.dtype.kind not in "iuf":
        return made.copy()
    if len(numpy.unique(array)) >= MOSTLY * len(array):
        copies = numpy.arange(size) // len(array)
        if array.dtype.kind == "f":
            made = (made * (1 + 1e-7 * copies)).astype(array.dtype)
        else:
            made = made * array.dtype.type(-(-size // len(array))) + copies.astype(array.dtype)
    is_sorted = len(array) > 1 and bool((array[1:] >= array[:-1]).all())
    return numpy.sort(made) if is_sorted else made

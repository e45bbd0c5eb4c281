"""How arrays of numpy are pickled, so that their layout in memory stays: gaps between elements, and being read-only.

numpy's own pickle makes a compact array of every view, into which anybody may write. What is written here needs numpy
alone to be read. numpy is not imported for it: whoever has an array has it already.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Callable, Tuple

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

_PLAIN_KINDS = "biufcmMSUV"  # of element types that are bytes and no more
_MOST_SPREAD = 64  # how many times the memory of its elements a view may extend over
_LEAST_SPREAD = 1 << 20  # bytes over which any may


class _Blank:
    """Is read back as so many bytes of memory, all 0."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __reduce__(self) -> Tuple[Callable[..., Any], Tuple[Any, ...]]:
        return sys.modules["numpy"].zeros, (self._size, "u1")


def reduced_array(array: Any) -> Any:
    """What pickle has to write for an array; `NotImplemented` where numpy's own way keeps all of it.

    Args:
        array: of numpy's own class.
    """
    numpy = sys.modules["numpy"]
    flags = array.flags
    if not flags.writeable:
        return numpy.broadcast_to, (_writeable(numpy, array), array.shape)  # which gives a view that is read-only
    if flags.c_contiguous or flags.f_contiguous or not _is_plain(array):
        return NotImplemented
    size, offset = _extent(array)
    layout = (array.shape, array.dtype, _Blank(size), offset, array.strides)
    return numpy.ndarray, layout, array.copy(), None, None, numpy.copyto


def _writeable(numpy: Any, array: Any) -> Any:
    """A copy with the same layout."""
    if array.flags.c_contiguous or array.flags.f_contiguous or not _is_plain(array):
        return array.copy(order="K")
    size, offset = _extent(array)
    made = numpy.ndarray(array.shape, array.dtype, numpy.zeros(size, "u1"), offset, array.strides)
    numpy.copyto(made, array)
    return made


def _is_plain(array: Any) -> bool:
    """Whether it can be laid out anew in plain memory, and is not a thin slice of something huge."""
    if array.dtype.hasobject or array.dtype.kind not in _PLAIN_KINDS:
        return False
    return bool(_extent(array)[0] <= max(_MOST_SPREAD * array.nbytes, _LEAST_SPREAD))


def _extent(array: Any) -> Tuple[int, int]:
    """Bytes from the lowest to the highest that belong to it, and how far in its first element is."""
    steps = [step * (length - 1) for step, length in zip(array.strides, array.shape)]  # noqa: B905 - Python 3.9
    below = sum(step for step in steps if step < 0)
    return sum(map(abs, steps)) + array.dtype.itemsize, -below

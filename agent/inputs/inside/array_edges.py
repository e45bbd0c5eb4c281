"""Edge cases near an array of numpy, which nobody imports here."""

from __future__ import annotations

from typing import Any, Iterator, Tuple

Edge = Tuple[str, Any]  # kind, value


def array_edges(numpy: Any, value: Any) -> Iterator[Edge]:
    """The same shape with other contents, extremes and layouts in memory; other lengths; then none at all."""
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
    yield from _layouts(numpy, value)
    if value.ndim:
        yield "elements reversed", value[::-1].copy()
        yield "fewer elements", value[: len(value) // 2].copy()
        yield "one element", value[:1].copy()
        yield "duplicates", numpy.repeat(value[:1], len(value), axis=0)
        yield "empty", value[:0].copy()
    if value.ndim > 1:
        yield "fewer columns", value[:, : value.shape[1] // 2].copy()


def _layouts(numpy: Any, value: Any) -> Iterator[Edge]:
    """The same elements with gaps between them, into which nobody may write, or in another order in memory."""
    if value.ndim:
        yield "gaps in memory", numpy.repeat(value, 2, axis=-1)[..., ::2]
    yield "read-only", numpy.broadcast_to(value.copy(), value.shape)
    if value.ndim:
        yield "another order in memory", numpy.asfortranarray(value)
        yield "elements backwards in memory", value[::-1].copy()[::-1]

"""Where two arrays, or two frames, of numpy and pandas first differ, as far as their elements are written out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from afterburner.sandbox.array_elements import column_elements, elements, index_elements
from afterburner.sandbox.rendering import render
from afterburner.sandbox.trees import Json, same

if TYPE_CHECKING:
    from collections.abc import Sequence

Step = tuple[str, Json, Json]


def array_step(left: Json, right: Json) -> Step | None:
    """The first element in which two arrays of one type and shape differ: its index, and what is there in each."""
    match left, right:
        case ["ndarray", _, dtype, ["tuple", *shape], content, *_], [
            "ndarray",
            _,
            other_dtype,
            ["tuple", *other_shape],
            other_content,
            *_,
        ] if same([dtype, shape], [other_dtype, other_shape]):
            found = _first_of(elements(dtype, content), elements(dtype, other_content))
            index = None if found is None else _unravelled(found[0], shape)
            return None if found is None or index is None else (f"[{index}]", *found[1:])
        case _:
            return None


def frame_step(left: Json, right: Json) -> Step | None:
    """The first column in which two frames with equal indexes differ, and the first row that differs there."""
    match left, right:
        case ["frame", _, axes, ["items", *columns], *_], ["frame", _, other_axes, ["items", *others], *_] if same(
            axes, other_axes
        ) and len(columns) == len(others):
            at = next((at for at, pair in enumerate(zip(columns, others, strict=True)) if not same(*pair)), None)
            step = None if at is None else _column_step(columns[at], others[at])
            if at is None or step is None:
                return None
            return (f"{_column(axes, at)}.iloc[{step[0]}]", *step[1:])
        case _:
            return None


def _column_step(left: Json, right: Json) -> tuple[int, Json, Json] | None:
    (dtype, items), (other_dtype, other_items) = column_elements(left), column_elements(right)
    return _first_of(items, other_items) if same(dtype, other_dtype) else None


def _column(axes: Json, at: int) -> str:
    """How one writes the column of a frame; a series has none. Its label is among those of the first axis."""
    match axes:
        case ["items", columns, _]:
            labels = index_elements(columns)
            return f"[{render(labels[at], 40)}]" if at < len(labels) else f".iloc[:, {at}]"
        case _:
            return ""


def _first_of(one: Sequence[Json], other: Sequence[Json]) -> tuple[int, Json, Json] | None:
    pairs = enumerate(zip(one, other, strict=False))
    return next(((at, left, right) for at, (left, right) in pairs if not same(left, right)), None)


def _unravelled(place: int, shape: Sequence[Json]) -> str | None:
    """The index of the element at this place: `1, 0`; `()` in an array without axes."""
    sizes = [size for size in shape if isinstance(size, int) and size > 0]
    if len(sizes) != len(shape) or place >= math.prod(sizes):
        return None
    index: list[str] = []
    for size in reversed(sizes):
        place, at = divmod(place, size)
        index.append(str(at))
    return ", ".join(reversed(index)) or "()"

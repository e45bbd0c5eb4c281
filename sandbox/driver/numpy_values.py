"""How numpy's values are written. Loaded once the program itself has imported numpy; nothing here imports it.

Arrays are equal if element type, shape, elements, class and writability are, and if both have gaps between their
elements or neither has: a part of a larger array keeps all of that alive, and cannot be hashed or viewed as bytes. All
NaN are one value, as they are for Python's own floats; what lies between the elements (padding) and their order in
memory are no part of the value. An array that shares memory with one that was met before says so, for a caller who
writes into one sees it in the other.

Only methods of numpy's own C classes are used, taken from these, so that what a subclass overrides is not asked.
"""

from __future__ import annotations

import os
import sys
import types
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Tuple

if TYPE_CHECKING:
    from . import array_memory  # noqa: TC004 - given to us by `late_modules`
    from .type_plans import Layout
    from .value_encoder import Encoder

Handler = Callable[["Encoder", Any], Iterator[Any]]

_numpy: Any = sys.modules["numpy"]
ARRAY: Any = _numpy.ndarray
_SCALAR: Any = _numpy.generic
_of_array: Any = ARRAY.__dict__  # a view: its methods are looked up in C, and the class cannot be changed
_of_scalar: Any = _SCALAR.__dict__
_MASKED_STATE = ("_mask", "_fill_value", "_hardmask")
_PREVIEWED = 16
_EXTENDED_BYTES = 10  # of the 16 of a `longdouble` on x86; the others hold anything
_IS_X86 = os.uname().machine in ("x86_64", "i686")
_NAN = float("nan")


def opener(layout: Layout) -> Optional[Handler]:
    """The handler for a class of numpy's, None for every other."""
    kind = layout.kind
    if issubclass(kind, ARRAY):
        masked = _class("numpy.ma", "MaskedArray")
        if masked is not None and issubclass(kind, masked):
            return lambda encoder, value: _masked_array(encoder, layout, value)
        return lambda encoder, value: _array(encoder, layout, value)
    if issubclass(kind, _SCALAR):
        return lambda encoder, value: _scalar(encoder, layout, value)
    if issubclass(kind, _numpy.dtype):
        return lambda encoder, value: encoder.parts("dtype", dtype_tree(encoder, value))
    return _random_opener(layout)


def is_immutable(kind: type) -> bool:
    """Whether two equal values of this class of numpy's may stand for one another."""
    return issubclass(kind, (_SCALAR, _numpy.dtype))


def dtype_tree(encoder: Encoder, dtype: Any) -> Any:
    """What tells an element type: its code, or its fields with their places."""
    if dtype.subdtype is not None:
        inner, shape = dtype.subdtype
        return encoder.wrap(["array of", dtype_tree(encoder, inner), shape])
    if dtype.names is not None:
        fields: List[Any] = [(name, dtype.fields[name]) for name in dtype.names]
        told = [
            encoder.wrap([name, dtype_tree(encoder, field[0]), field[1], *field[2:]]) for name, field in fields
        ]  # a title, where there is one, is the third
        return encoder.wrap([dtype.type.__name__, dtype.itemsize, *told])
    if dtype.kind in "VT" or dtype.isbuiltin != 1:  # raw bytes, or a type of somebody's own making
        return encoder.wrap([dtype.type.__name__, dtype.str])
    return dtype.str


def content(encoder: Encoder, value: Any) -> Any:
    """The elements of a plain array, in the order of its indices."""
    dtype = value.dtype
    if dtype.names is not None:
        columns = [content(encoder, _of_array["__getitem__"](value, name)) for name in dtype.names]
        return encoder.wrap(columns)
    if dtype.hasobject or dtype.kind == "T":
        return encoder.wrap(_of_array["tolist"](_of_array["ravel"](value)))
    if dtype.kind == "c":
        parts = [_of_array[name].__get__(value) for name in ("real", "imag")]
        return encoder.wrap([content(encoder, part) for part in parts])
    if dtype.kind == "f":
        return _floats(encoder, value, dtype)
    data: bytes = _of_array["tobytes"](value)
    return encoder.floats(dtype.str, data) if encoder.open_floats and dtype.kind in "iub" else data


def _floats(encoder: Encoder, value: Any, dtype: Any) -> Any:
    strange = _of_array["__ne__"](value, value)
    if _of_array["tobytes"](_as_array(strange)).strip(b"\0"):
        value = _of_array["copy"](value)
        _of_array["__setitem__"](value, strange, _NAN)
    data: bytes = _of_array["tobytes"](value)
    if encoder.open_floats and dtype.itemsize <= 8:
        return encoder.floats(dtype.str, data)
    if dtype.itemsize == 16 and _IS_X86:
        view = memoryview(data)
        return b"".join(view[at : at + _EXTENDED_BYTES] for at in range(0, len(data), 16))
    return data


def _as_array(value: Any) -> Any:
    """An array of no dimensions for a scalar."""
    return value if type(value) is ARRAY else _of_scalar["__array__"](value)


def plain_view(value: Any) -> Any:
    """The same memory as an array of numpy's own class."""
    return value if type(value) is ARRAY else _of_array["view"](value, ARRAY)


def _array(encoder: Encoder, layout: Layout, value: Any) -> Iterator[Any]:
    return _array_parts(encoder, layout.name, plain_view(value), layout.state(encoder, value))


def _array_parts(encoder: Encoder, name: str, view: Any, state: Any) -> Iterator[Any]:
    encoder.kept.append(view)
    marks: List[Any] = [] if view.flags.writeable else ["read-only"]
    if _has_gaps(view):
        marks.append("with gaps")
    shared = shared_memory(encoder, view)
    return encoder.parts(
        "ndarray",
        name,
        dtype_tree(encoder, view.dtype),
        view.shape,
        content(encoder, view),
        encoder.wrap(preview(view)),
        state,
        encoder.wrap(marks if shared is None else [*marks, "shares memory", *shared]),
    )


def _has_gaps(view: Any) -> bool:
    """Whether its elements are spread over more memory than they need, whichever dimension comes first there."""
    steps = sorted((abs(step), length) for step, length in zip(view.strides, view.shape) if length > 1)  # noqa: B905
    dense = view.dtype.itemsize
    for step, length in steps if view.size else ():
        if step > dense:
            return True
        dense *= length
    return False


def preview(view: Any) -> List[Any]:
    """The first elements, for a person to read."""
    if view.dtype.hasobject:
        return []
    flat = _of_array["ravel"](view)
    return list(_of_array["tolist"](_of_array["__getitem__"](flat, slice(_PREVIEWED))))


def _masked_array(encoder: Encoder, layout: Layout, value: Any) -> Iterator[Any]:
    """Data, mask and filling value; what numpy keeps beside them (whether the mask is shared, say) is left out."""
    held = layout.dictionary(value)
    state: List[Any] = []
    for name in sorted(name for name in held if type(name) is str):
        if name in _MASKED_STATE or name not in _MASKED_NAMES:
            state += [name, held[name]]
    return _array_parts(encoder, layout.name, plain_view(value), encoder.wrap(state))


_MASKED_NAMES = frozenset((*_MASKED_STATE, "_sharedmask", "_isfield", "_baseclass", "_optinfo", "_basedict"))


def _scalar(encoder: Encoder, layout: Layout, value: Any) -> Iterator[Any]:
    view = _of_scalar["__array__"](value)
    encoder.kept.append(view)
    shown = _of_array["tolist"](view)
    shown = shown if type(shown) in (int, float, bool, complex, str, bytes) else None
    return encoder.parts("numpy", layout.name, shown, dtype_tree(encoder, view.dtype), content(encoder, view))


def shared_memory(encoder: Encoder, view: Any) -> Optional[Tuple[int, int]]:
    """Which array that was met before this one shares memory with, None if with none."""
    told: Dict[str, Any] = view.__array_interface__
    low = told["data"][0]
    steps = told["strides"]
    if not view.size or low == 0:
        return None
    high = low + view.dtype.itemsize
    if steps is None:
        return array_memory.meet(encoder, low, low + view.nbytes)
    for step, length in zip(steps, told["shape"]):  # noqa: B905 - `strict` is newer than Python 3.9
        if step < 0:
            low += step * (length - 1)
        else:
            high += step * (length - 1)
    return array_memory.meet(encoder, low, high)


def _class(module: str, name: str) -> Any:
    """A class of a module of numpy's, None as long as nobody has imported it."""
    found = getattr(sys.modules.get(module), name, None)
    return found if isinstance(found, type) else None


def _random_opener(layout: Layout) -> Optional[Handler]:
    """Sources of random numbers are told by their state."""
    generator, bits = _class("numpy.random", "Generator"), _class("numpy.random", "BitGenerator")
    legacy = _class("numpy.random", "RandomState")
    if generator is not None and issubclass(layout.kind, generator):
        held = generator.__dict__["bit_generator"]
        return lambda encoder, value: encoder.parts("random", layout.name, held.__get__(value))
    if bits is not None and issubclass(layout.kind, bits):
        base = next((each for each in layout.kind.__mro__ if "state" in each.__dict__), None)
        state = base.__dict__["state"] if base is not None else None
        if type(state) is not types.GetSetDescriptorType:  # a property of somebody's own making
            return None
        return lambda encoder, value: encoder.parts("random", layout.name, state.__get__(value))
    if legacy is not None and issubclass(layout.kind, legacy):
        get = legacy.__dict__["get_state"]
        return lambda encoder, value: encoder.parts("random", layout.name, get(value, legacy=False))
    return None

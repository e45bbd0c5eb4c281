"""How torch's values are written. Loaded once the program itself has imported torch; nothing here imports it.

Tensors are equal if class, element type, shape, device, elements, gradient and whether they need one are; all NaN are
one value. The graph behind a gradient is not looked at, nor what does not lie densely in memory (sparse, quantised).
"""

from __future__ import annotations

import sys
from ctypes import string_at  # torch has it loaded
from sys import byteorder
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional

if TYPE_CHECKING:
    from . import array_memory  # noqa: TC004 - given to us by `late_modules`
    from .type_plans import Layout
    from .value_encoder import Encoder

Handler = Callable[["Encoder", Any], Iterator[Any]]

_torch: Any = sys.modules["torch"]
_BASE: Any = getattr(_torch._C, "TensorBase", None) or _torch._C._TensorBase  # noqa: SLF001 - the C class
_of_tensor: Any = _BASE.__dict__
_NAMED = (_torch.dtype, _torch.device, _torch.layout, _torch.memory_format)
_view_as_real = _torch.view_as_real
_strided, _uint8, _no_overrides = _torch.strided, _torch.uint8, _torch._C.DisableTorchFunctionSubclass  # noqa: SLF001
_CODES = {getattr(_torch, "float%d" % bits): "%sf%d" % ("<>"[byteorder == "big"], bits // 8) for bits in (16, 32, 64)}
_PREVIEWED = 16
_NAN = float("nan")


def opener(layout: Layout) -> Optional[Handler]:
    """The handler for a class of torch's, None for every other."""
    if issubclass(layout.kind, _BASE):
        return lambda encoder, value: _tensor(encoder, layout, value)
    if is_immutable(layout.kind):
        return lambda encoder, value: encoder.parts("torch", str(value))
    if layout.kind is _torch.Generator:
        return lambda encoder, value: encoder.parts("random", layout.name, value.get_state())
    return None


def is_immutable(kind: type) -> bool:
    """Whether two equal values of this class of torch's may stand for one another."""
    return any(kind is named for named in _NAMED)  # a metaclass may have an `__eq__` of its own


def _tensor(encoder: Encoder, layout: Layout, value: Any) -> Iterator[Any]:
    with _no_overrides():
        if _get(value, "layout") is not _strided or _get(value, "is_quantized") or _get(value, "is_meta"):
            return encoder.opaque_value("%s that is not dense" % layout.name)
        detached = _of_tensor["detach"](value)
        data = detached if _get(value, "is_cpu") else _of_tensor["cpu"](detached)
        told = [str(_get(value, "dtype")), tuple(_get(value, "shape")), str(_get(value, "device"))]
        grad = _get(value, "grad") if _get(value, "is_leaf") else None
        marks: List[Any] = ["requires_grad"] if _get(value, "requires_grad") else []
        shared = _shared_memory(encoder, detached) if data is detached else None
        elements = _content(encoder, data)
        first = _of_tensor["__getitem__"](_of_tensor["reshape"](data, -1), slice(_PREVIEWED))
        preview = encoder.wrap(_of_tensor["tolist"](first))
    if shared is not None:
        marks += ["shares memory", *shared]
    state = layout.state(encoder, value)
    return encoder.parts("tensor", layout.name, *told, elements, preview, state, encoder.wrap(marks), grad)


def _get(value: Any, name: str) -> Any:
    return _of_tensor[name].__get__(value)


def _content(encoder: Encoder, data: Any) -> Any:
    """The elements in the order of their indices, as bytes; for a comparison with a tolerance as numbers."""
    data = _of_tensor["resolve_neg"](_of_tensor["resolve_conj"](data))
    if _of_tensor["is_complex"](data):
        data = _view_as_real(data)
    flat = _of_tensor["reshape"](_of_tensor["contiguous"](data), -1)
    if not _of_tensor["is_floating_point"](flat):
        return _bytes(flat)
    try:
        strange = _of_tensor["ne"](flat, flat)
    except (RuntimeError, NotImplementedError):  # the smallest formats cannot be compared
        return _bytes(flat)
    if 1 in _bytes(strange):
        flat = _of_tensor["masked_fill"](flat, strange, _NAN)
    code = _CODES.get(_get(flat, "dtype"))
    return encoder.floats(code, _bytes(flat)) if encoder.open_floats and code is not None else _bytes(flat)


def _bytes(flat: Any) -> bytes:
    length = _of_tensor["numel"](flat) * _of_tensor["element_size"](flat)
    return string_at(_of_tensor["data_ptr"](flat), length) if length else b""


def _shared_memory(encoder: Encoder, value: Any) -> Any:
    shape, steps = tuple(_get(value, "shape")), _of_tensor["stride"](value)
    if not _of_tensor["numel"](value):
        return None
    last = sum(step * (length - 1) for step, length in zip(steps, shape))  # noqa: B905 - newer than Python 3.9
    low: int = _of_tensor["data_ptr"](value)
    return array_memory.meet(encoder, low, low + (last + 1) * _of_tensor["element_size"](value))

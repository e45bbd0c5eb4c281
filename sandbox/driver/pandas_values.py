"""How pandas' values are written. Loaded once the program itself has imported pandas; nothing here imports it.

A frame is its class, its two indexes, and column by column the element type and the elements: how pandas keeps columns
together in blocks, its caches and its reference counts are no part of the value. Before pandas 3 two frames could
share memory for good, which then is told; since then writing copies. What is written in Arrow is read as Python values.

Internals are read as pandas 1.3 to 3 lay them out, from pandas' own classes; where something else is met, the value
cannot be compared.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional

if TYPE_CHECKING:
    from . import numpy_values  # noqa: TC004 - given to us by `late_modules`
    from .type_plans import Layout
    from .value_encoder import Encoder

Handler = Callable[["Encoder", Any], Iterator[Any]]

_pandas: Any = sys.modules["pandas"]
_extensions: Any = _pandas.api.extensions
_managers: Any = sys.modules["pandas.core.internals.managers"]
_FRAMES = (_pandas.DataFrame, _pandas.Series)
_COPIES_ON_WRITE = int(_pandas.__version__.split(".", 1)[0]) >= 3
_OFFSET: Any = _pandas.offsets.BaseOffset
_ARRAY: Any = _extensions.ExtensionArray
_DTYPE: Any = _extensions.ExtensionDtype
_HIDDEN = frozenset(
    (
        *("_mgr", "_flags", "_cache", "_item_cache", "_cacher", "_is_copy", "_index"),
        *("_id", "_references", "_readonly", "_engine", "_typ", "_metadata"),
    )
)
_SCALARS = {
    "Timestamp": ("_value", "value", "unit", "_creso", "fold", "tzinfo"),
    "Timedelta": ("_value", "value", "unit", "_creso"),
    "Period": ("ordinal", "freq"),
    "Interval": ("left", "right", "closed"),
}
_CONSTANTS = (type(_pandas.NaT), type(_pandas.NA))
_iget_values = _managers.BlockManager.iget_values


def opener(layout: Layout) -> Optional[Handler]:  # noqa: PLR0911 - a table
    """The handler for a class of pandas', None for every other."""
    kind = layout.kind
    if issubclass(kind, _FRAMES):
        return lambda encoder, value: _frame(encoder, layout, value)
    if issubclass(kind, _pandas.Index):
        return lambda encoder, value: _index(encoder, layout, value)
    if issubclass(kind, _ARRAY):
        return lambda encoder, value: encoder.parts(*_array_parts(encoder, layout, value, is_bare=True))
    if issubclass(kind, _DTYPE):
        return lambda encoder, value: _dtype(encoder, layout, value)
    if issubclass(kind, _OFFSET):
        return lambda encoder, value: _offset(encoder, layout, value)
    if any(kind is constant for constant in _CONSTANTS):  # a metaclass may have an `__eq__` of its own
        return lambda encoder, _value: encoder.parts("constant", layout.name)
    for name, fields in _SCALARS.items():
        if issubclass(kind, getattr(_pandas, name)):
            return lambda encoder, value: _scalar(encoder, layout, fields, value)
    return None


def is_immutable(kind: type) -> bool:
    """Whether two equal values of this class of pandas' may stand for one another."""
    scalars = tuple(getattr(_pandas, name) for name in _SCALARS)
    return issubclass(kind, (_pandas.Index, _DTYPE, _OFFSET, *_CONSTANTS, *scalars))


def _frame(encoder: Encoder, layout: Layout, value: Any) -> Iterator[Any]:
    held = layout.dictionary(value)
    manager: Any = held.get("_mgr")
    if type(manager) is _managers.BlockManager:
        columns = [_values(encoder, layout, _iget_values(manager, place)) for place in range(len(manager.axes[0]))]
    elif type(manager) is _managers.SingleBlockManager:
        columns = [_values(encoder, layout, manager.blocks[0].values)]
    else:
        return encoder.opaque_value(layout.name)
    state = _state(encoder, layout, value)
    allows = vars(held["_flags"]).get("_allows_duplicate_labels", True) if "_flags" in held else True
    return encoder.parts("frame", layout.name, encoder.wrap(list(manager.axes)), encoder.wrap(columns), allows, state)


def _state(encoder: Encoder, layout: Layout, value: Any) -> Any:
    """What the object has beside its elements: its name, its attributes."""
    return encoder.wrap(layout.pairs(value, _HIDDEN))


def _values(encoder: Encoder, layout: Layout, values: Any) -> Any:
    """Elements inside something else: which object holds them is no part of the value."""
    if issubclass(type(values), numpy_values.ARRAY):
        view = encoder.keep(numpy_values.plain_view(values))
        shared = None if _COPIES_ON_WRITE else numpy_values.shared_memory(encoder, view)
        dtype, content = numpy_values.dtype_tree(encoder, view.dtype), numpy_values.content(encoder, view)
        told = [dtype, view.shape, content, encoder.wrap(numpy_values.preview(view))]
        return encoder.tree("values", *told, *(shared or ()))
    if issubclass(type(values), _ARRAY):
        inner = layout.of(type(values))
        return encoder.tree(*_array_parts(encoder, inner, encoder.keep(values), is_bare=False))
    return values


def _index(encoder: Encoder, layout: Layout, value: Any) -> Iterator[Any]:
    pairs = layout.pairs(value, _HIDDEN)
    for place in range(1, len(pairs), 2):
        if pairs[place - 1] in ("_levels", "_codes"):
            pairs[place] = encoder.wrap([_values(encoder, layout, each) for each in list.__iter__(pairs[place])])
        elif pairs[place - 1] == "_names":
            pairs[place] = encoder.wrap(list(pairs[place]))
        else:
            pairs[place] = _values(encoder, layout, pairs[place])
    return encoder.parts("index", layout.name, encoder.wrap(pairs))


def _array_parts(encoder: Encoder, layout: Layout, value: Any, *, is_bare: bool) -> List[Any]:
    """Tag and children for an array of pandas' own making."""
    pairs = layout.pairs(value, _HIDDEN)
    for name in ("_ndarray", "_dtype"):
        held = layout.field(value, name)
        if held is not None:
            pairs += (name, held)
    for place in range(1, len(pairs), 2):
        if _is_arrow(pairs[place]):
            pairs[place] = _arrow(encoder, pairs[place])
        elif not is_bare or pairs[place - 1] == "_ndarray":
            pairs[place] = _values(encoder, layout, pairs[place])
    return ["array", layout.name, encoder.wrap(pairs)]


def _is_arrow(value: Any) -> bool:
    return type(value) is getattr(sys.modules.get("pyarrow"), "ChunkedArray", None)


def _arrow(encoder: Encoder, value: Any) -> Any:
    return encoder.tree("arrow", str(value.type), encoder.wrap(value.to_pylist()))


def _dtype(encoder: Encoder, layout: Layout, value: Any) -> Iterator[Any]:
    if "pyarrow_dtype" in layout.dictionary(value):
        return encoder.parts("dtype", layout.name, str(layout.dictionary(value)["pyarrow_dtype"]))
    hidden = [layout.field(value, name) for name in ("_dtype_code", "_n")]
    return encoder.parts("dtype", layout.name, _state(encoder, layout, value), *hidden)


def _offset(encoder: Encoder, layout: Layout, value: Any) -> Iterator[Any]:
    told = [layout.field(value, name) for name in ("n", "normalize", "freqstr")]
    return encoder.parts("offset", layout.name, *told, _state(encoder, layout, value))


def _scalar(encoder: Encoder, layout: Layout, fields: Any, value: Any) -> Iterator[Any]:
    told = [layout.field(value, name) for name in fields]
    return encoder.parts(
        "pandas", layout.name, str(value) if _is_plain(layout) and "left" not in fields else None, *told
    )


def _is_plain(layout: Layout) -> bool:
    """Whether it is a class of pandas' own, whose text for a person runs no code of the user's."""
    return any(layout.kind is getattr(_pandas, name) for name in _SCALARS)

"""How much memory a module keeps alive between calls: a cache is paid for with it, so it is told."""

from __future__ import annotations

from gc import get_referents
from sys import getsizeof
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

_NO_DATA = frozenset((ModuleType, CodeType, FrameType, BuiltinFunctionType))
_MAX_OBJECTS = 300_000  # looked at; what is beyond is not counted


def kept_bytes(module: ModuleType) -> int:
    """Bytes that the module's own names keep alive: caches of every kind, containers, objects, closures.

    What other modules hold as well is not left out, so compare two moments of one process. At most `_MAX_OBJECTS` are
    looked at.
    """
    own = vars(module)
    seen = {id(own)}
    waiting = [value for name, value in own.items() if not name.startswith("__")]
    total = getsizeof(own)
    while waiting and len(seen) < _MAX_OBJECTS:
        value = waiting.pop()
        kind = type(value)  # an object may lie about its `__class__`
        if id(value) in seen or kind in _NO_DATA:
            continue
        seen.add(id(value))
        if kind is FunctionType:
            if value.__globals__ is own:
                waiting += [value.__defaults__, value.__kwdefaults__, *(value.__closure__ or ()), vars(value)]
        elif issubclass(kind, type):
            if value.__module__ in (module.__name__, "__main__"):
                waiting += vars(value).values()
        else:
            total += _size(value)
            waiting += get_referents(value)
    return total


def _size(value: Any) -> int:
    try:
        return getsizeof(value)
    except Exception:  # noqa: BLE001 - a class may have a `__sizeof__` of its own, which may raise anything
        return 0

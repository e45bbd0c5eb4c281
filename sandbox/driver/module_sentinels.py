"""Objects that are told by their identity alone: `EMPTY = object()`, the default of what was not given.

A copy would be another object, and `value is EMPTY` false of it. So they are written as the place where a module holds
them, and whoever reads that finds its own.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import TYPE_CHECKING, Any, Container, Dict, Iterator, Optional, Set, Tuple

from . import code_names

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class that was written in Python
_MOST_KNOWN = 64  # objects that are looked for, each in all modules
_STANDARD = frozenset(getattr(sys, "stdlib_module_names", ()))

Place = Tuple[str, str]  # module, name
_known: Dict[int, Tuple[Any, Optional[Place]]] = {}  # with the object: no other gets its identity meanwhile
_rebound: Dict[str, Set[str]] = {}  # by module, the names that its functions bind anew


def place_of(value: Any, *, without: Container[str] = ()) -> Optional[Place]:
    """Where a module holds such an object; None for all others, and for one that no module holds for good.

    `without` are modules that cannot be imported where calls are made.
    """
    if not _is_blank(value):
        return None
    if id(value) not in _known and len(_known) < _MOST_KNOWN:
        _known[id(value)] = value, next(_places(value, without), None)
    return _known.get(id(value), (value, None))[1]


def held_by(module: str, name: str) -> Any:
    """What a module holds under a name, without attributes that an earlier call may have given it."""
    value = getattr(import_module(module), name)
    if _HEAP_TYPE & type(value).__flags__ and not isinstance(value, (type, ModuleType)):
        getattr(value, "__dict__", {}).clear()
    return value


def _is_blank(value: Any) -> bool:
    """Whether there is nothing to an object but its class and its identity."""
    kind = type(value)
    if kind is object:
        return True
    if not all(base is object or base.__flags__ & _HEAP_TYPE for base in kind.__mro__):
        return False
    if any(type(each) is MemberDescriptorType for base in kind.__mro__[:-1] for each in vars(base).values()):
        return False
    try:
        return not object.__getattribute__(value, "__dict__")
    except AttributeError:
        return True


def _places(value: Any, without: Container[str]) -> Iterator[Place]:
    own = type(value).__module__
    names = [name for name in list(sys.modules) if name != own and name.partition(".")[0] not in _STANDARD]
    for module_name in (own, *names):
        module = sys.modules.get(module_name)
        if type(module) is not ModuleType or module_name == "__main__" or module_name in without:
            continue
        for name, held in list(vars(module).items()):
            if held is value and name not in _names_rebound(module):
                yield module_name, name


def _names_rebound(module: ModuleType) -> Set[str]:
    name = module.__name__
    if name not in _rebound:
        code = [each.__code__ for each in _functions(module)]
        _rebound[name] = {bound for each in code for bound, is_write in code_names.global_names(each) if is_write}
    return _rebound[name]


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    for held in list(vars(module).values()):
        for each in (held, *(vars(held).values() if isinstance(held, type) else ())):
            inner = getattr(each, "__func__", each)
            if type(inner) is FunctionType and inner.__globals__ is vars(module):
                yield inner

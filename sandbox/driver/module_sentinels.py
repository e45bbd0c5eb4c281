"""Objects that are told by their identity alone: `EMPTY = object()`, the default of what was not given.

A copy would be another object, and `value is EMPTY` false of it. So they are written as the place where a module holds
them, and whoever reads that finds its own.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import TYPE_CHECKING, Any, Container, Dict, Iterator, List, Optional, Set, Tuple

from . import code_names

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

_STANDARD = frozenset(getattr(sys, "stdlib_module_names", ()))
_OF_STATEMENT = ("__dict__", "__slots__")  # one of these is in the namespace of each class that a statement has made
_OF_COPYING = ("__reduce__", "__reduce_ex__", "__getstate__", "__copy__", "__deepcopy__")  # who has these, takes care

Place = Tuple[str, str]  # module, name
_found: Dict[int, Tuple[Any, List[Place]]] = {}  # by identity, with the object: no other gets its identity
_modules_seen: List[Any] = [0, None]  # when it was looked for such objects: how many there were, and the newest


def place_of(value: Any, *, without: Container[str] = ()) -> Optional[Place]:
    """Where a module holds such an object; None for all others, and for one that no module holds for good.

    `without` are modules that cannot be imported where calls are made.
    """
    if _modules_seen[0] != len(sys.modules) or _modules_seen[1] is not next(reversed(sys.modules.values())):
        _look()
    known = _found.get(id(value))
    if known is None or not _is_blank(value):
        return None
    return next((place for place in known[1] if place[0] not in without), None)


def held_by(module: str, name: str) -> Any:
    """What a module holds under a name."""
    return getattr(import_module(module), name)


def _look() -> None:
    """Find the objects that modules hold; no code of theirs runs."""
    held: Dict[int, Tuple[Any, List[Place]]] = {}
    defaults: Set[int] = set()
    for module_name, module in list(sys.modules.items()):
        if type(module) is not ModuleType or module_name == "__main__" or module_name.partition(".")[0] in _STANDARD:
            continue
        functions = list(_functions(module))
        defaults |= {id(each) for function in functions for each in _defaults(function)}
        blank = [(name, value) for name, value in list(vars(module).items()) if _is_blank(value)]
        rebound = _names_rebound(functions) if blank else ()
        for name, value in blank:
            if name not in rebound:
                held.setdefault(id(value), (value, []))[1].append((module_name, name))
    # An object that can get attributes may stand for a state; not if it is a default, or known in several modules.
    shared = {number for number, (_, places) in held.items() if len({module for module, _ in places}) > 1}
    kept = {number: each for number, each in held.items() if number in defaults | shared or not _can_change(each[0])}
    _found.clear()
    _found.update(kept)
    _modules_seen[:] = [len(sys.modules), next(reversed(sys.modules.values()))]


def _is_blank(value: Any) -> bool:
    """Whether there is nothing to an object but its class and its identity."""
    kind = type(value)
    if kind is object:
        return True
    classes = kind.__mro__[:-1]
    if kind.__mro__[-1] is not object or not all(_is_plain(base) for base in classes):
        return False
    try:
        return not object.__getattribute__(value, "__dict__")
    except AttributeError:
        return True
    except Exception:  # noqa: BLE001 - a property of the user's has this name
        return False


def _is_plain(kind: type) -> bool:
    """Whether a class was made by a statement, holds nothing in slots, and leaves copying to Python."""
    names = vars(kind)
    if kind.__bases__ == (object,) and not any(name in names for name in _OF_STATEMENT):
        return False  # made in C: it may hold anything
    return not any(name in names for name in _OF_COPYING) and not any(
        type(each) is MemberDescriptorType for each in names.values()
    )


def _can_change(value: Any) -> bool:
    return type(value) is not object and any("__dict__" in vars(base) for base in type(value).__mro__)


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    for held in list(vars(module).values()):
        members = list(vars(held).values()) if issubclass(type(held), type) else []
        for each in (held, *members):
            inner = each.__func__ if type(each) in (staticmethod, classmethod) else each
            if type(inner) is FunctionType and inner.__globals__ is vars(module):
                yield inner


def _defaults(function: FunctionType) -> List[Any]:
    return [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]


def _names_rebound(functions: List[FunctionType]) -> Set[str]:
    """The names of the module that its functions bind anew."""
    return {name for each in functions for name, is_write in code_names.global_names(each.__code__) if is_write}

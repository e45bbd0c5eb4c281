"""Puts the module back into a known state before a call: captured data, empty caches, seeded random numbers."""

from __future__ import annotations

import collections
import functools
import gc
import random
import sys
from types import FunctionType, ModuleType
from typing import Any, Callable, Dict, Iterator, List, Mapping, Sequence, Tuple

SEED = 20_250_523

_seed_random = random.seed
_CACHE_TYPE = type(functools.lru_cache(maxsize=None)(len))
_clear_cache: Callable[[Any], None] = _CACHE_TYPE.cache_clear  # unbound on purpose
_EMPTYING: Dict[type, Callable[[Any], None]] = {
    list: list.clear,
    dict: dict.clear,
    set: set.clear,
    bytearray: bytearray.clear,
    collections.deque: collections.deque.clear,
    collections.OrderedDict: collections.OrderedDict.clear,
    collections.defaultdict: collections.defaultdict.clear,
    collections.Counter: dict.clear,
}
_FILLING: Dict[type, Callable[[Any, Any], None]] = {
    list: list.extend,
    dict: dict.update,
    set: set.update,
    bytearray: bytearray.extend,
    collections.deque: collections.deque.extend,
    collections.OrderedDict: dict.update,
    collections.defaultdict: dict.update,
    collections.Counter: dict.update,
}
_MAX_COPIED = 1_000_000  # items of the module's own containers that are remembered


def seed_random() -> None:
    """The same random numbers for every call."""
    _seed_random(SEED)
    numpy_seed = getattr(sys.modules.get("numpy.random"), "seed", None)
    if numpy_seed is not None:
        numpy_seed(SEED)


def restore_globals(
    module: ModuleType, values: Mapping[str, Any], absent: Sequence[str], arguments: Sequence[Any]
) -> None:
    """Put captured data back under its names.

    A container is filled in place where it can be, since other modules and default arguments may hold it too; not
    if the call gets it as an argument, for then the two must stay one object.
    """
    namespace = vars(module)
    given = set(map(id, arguments))
    for name, value in values.items():
        held = namespace.get(name)
        kind = type(held)
        if kind in _EMPTYING and type(value) is kind and id(value) not in given:
            refill(held, value)
        else:
            namespace[name] = value
    for name in absent:
        namespace.pop(name, None)


def refill(container: Any, content: Any) -> None:
    """Give a builtin container the content of another of its type."""
    kind = type(container)
    _EMPTYING[kind](container)
    if kind is collections.OrderedDict:
        for key, value in content.items():
            container[key] = value
        return
    _FILLING[kind](container, content)


class ColdState:
    """What the module held right after it was imported, to bring it back before every call.

    Caches of functools are emptied; names, mutable default arguments, attributes of functions and classes, and the
    containers that they hold go back. So a call cannot use what an earlier one stored, however it was stored.
    """

    def __init__(self, module: ModuleType) -> None:
        """Remember the state of the module as it is now."""
        self._module = module
        self._namespace = dict(vars(module))
        self._caches = _find_caches(module)
        self._classes: List[Tuple[type, Dict[str, Any]]] = []
        self._functions: List[Tuple[FunctionType, Dict[str, Any]]] = []
        self._containers: List[Tuple[Any, Any]] = []
        self._seen: set = set()  # type: ignore[type-arg]  # of identities; the syntax for it is newer than Python 3.9
        self._left = _MAX_COPIED
        self._remember_namespace()

    def restore(self) -> None:
        """Bring that state back; untimed."""
        for cache in self._caches:
            _clear_cache(cache)
        namespace = vars(self._module)
        for name in [name for name in namespace if name not in self._namespace]:
            del namespace[name]
        namespace.update(self._namespace)
        for owner, attributes in self._classes:
            for name in [name for name in vars(owner) if name not in attributes and not name.startswith("__")]:
                type.__delattr__(owner, name)
            for name, value in attributes.items():
                if vars(owner).get(name) is not value:
                    type.__setattr__(owner, name, value)
        for function, attributes in self._functions:
            refill(vars(function), attributes)
        for container, content in self._containers:
            refill(container, _copy(content))

    def _remember_namespace(self) -> None:
        for name, value in self._namespace.items():
            if not name.startswith("__"):
                self._remember(value)

    def _remember(self, value: Any) -> None:
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if type(value) in _EMPTYING:
            self._left -= _count(value)
            if self._left >= 0:
                self._containers.append((value, _copy(value)))
        elif isinstance(value, FunctionType):
            self._remember_function(value)
        elif isinstance(value, (property, _CACHE_TYPE)):
            for name in ("fget", "fset", "fdel", "__wrapped__"):
                self._remember(getattr(value, name, None))
        elif isinstance(value, type) and value.__module__ in (self._module.__name__, "__main__"):
            attributes = {name: held for name, held in vars(value).items() if not name.startswith("__")}
            self._classes.append((value, attributes))
            for held in list(vars(value).values()):
                self._remember(held)

    def _remember_function(self, function: FunctionType) -> None:
        if function.__globals__ is not vars(self._module):
            return
        self._functions.append((function, dict(vars(function))))
        held = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *vars(function).values()]
        for cell in function.__closure__ or ():
            try:
                held.append(cell.cell_contents)
            except ValueError:  # nothing in it yet
                continue
        for value in held:
            self._remember(value)


def _find_caches(module: ModuleType) -> List[Any]:
    """Every functools cache around a function of the module, wherever it is kept."""
    return [
        value
        for value in gc.get_objects()
        if type(value) is _CACHE_TYPE
        and isinstance(getattr(value, "__wrapped__", None), FunctionType)
        and value.__wrapped__.__globals__ is vars(module)
    ]


def _parts(container: Any) -> Iterator[Any]:
    return iter(container.values() if isinstance(container, dict) else container)


def _count(container: Any) -> int:
    """Items in a container and in the containers in it."""
    total = 0
    waiting = [container]
    seen = set()
    while waiting and total <= _MAX_COPIED:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        total += len(current)
        waiting.extend(part for part in _parts(current) if type(part) in _EMPTYING)
    return total


def _copy(container: Any) -> Any:
    """A copy of a container in which nested builtin containers are copied too; everything else is shared."""
    copies: Dict[int, Any] = {}
    waiting = [container]
    while waiting:
        current = waiting.pop()
        if id(current) in copies:
            continue
        copies[id(current)] = current.copy() if type(current) is not bytearray else current[:]
        waiting.extend(part for part in _parts(current) if type(part) in _EMPTYING)
    for copy in copies.values():
        if isinstance(copy, dict):
            for key, value in copy.items():
                copy[key] = copies.get(id(value), value)
        elif isinstance(copy, (list, collections.deque)):
            for index, value in enumerate(copy):
                copy[index] = copies.get(id(value), value)
    return copies[id(container)]

"""Puts the module back into a known state before a call: captured data, empty caches, seeded random numbers."""

from __future__ import annotations

import collections
import functools
import gc
import random
import sys
from operator import is_
from types import BuiltinFunctionType, FunctionType, MemberDescriptorType, MethodType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from . import made_functions, type_plans

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

SEED = 20_250_523
SEEDING = {"numpy.random": "seed", "torch": "manual_seed"}  # modules with random numbers, and what seeds them

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
_COPYING: Dict[type, Callable[[Any], Any]] = {
    list: list.copy,
    set: lambda container: set(set.__iter__(container)),
    bytearray: lambda container: bytearray(bytearray.__getitem__(container, slice(None))),
    collections.deque: lambda container: collections.deque(collections.deque.__iter__(container)),
    collections.OrderedDict: lambda container: dict(collections.OrderedDict.items(container)),
}  # plain copies, also of subclasses, whose own methods are not asked; dictionaries are the rest
_HOLDING = (SimpleNamespace, collections.UserDict, collections.UserList, collections.ChainMap)
OF_EVERY_MODULE = frozenset(("__builtins__", "__cached__", "__doc__", "__file__", "__loader__", "__name__",
                             "__package__", "__path__", "__spec__", "__annotations__", "__warningregistry__",
                             "__annotate__", "__conditional_annotations__"))  # fmt: skip
_MAX_COPIED = 1_000_000  # items of the module's own containers that are remembered
_MAX_OBJECTS = 1_000  # objects of the module's own classes, likewise; they are restored before every single call


def seed_random() -> None:
    """The same random numbers for every call."""
    _seed_random(SEED)
    for module in SEEDING:
        seed_library(module)


def seed_library(module: str) -> None:
    """The same for one of the libraries with random numbers of their own, if it is loaded."""
    seed = getattr(sys.modules.get(module), SEEDING[module], None)
    if seed is not None:
        seed(SEED)


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
    _fill(container, kind, content)


def _fill(container: Any, kind: type, content: Any) -> None:
    if kind is collections.OrderedDict:
        for key, value in content.items():
            collections.OrderedDict.__setitem__(container, key, value)
        return
    _FILLING[kind](container, content)


class ColdState:
    """What the module held right after it was imported, to bring it back before every call.

    Caches of functools are emptied; names, mutable default arguments, what closures hold, attributes of functions, of
    classes and of the module's own objects, and the containers in all of these go back. So a call cannot use what an
    earlier one stored in the module. What is stored elsewhere (a file, another module) stays.
    """

    def __init__(
        self, module: ModuleType, most_items: int = _MAX_COPIED, caches: Optional[Sequence[Any]] = None
    ) -> None:
        """Remember the state of the module as it is now, with no more items of its containers than these.

        `caches` are those of functools around its functions; None: they are looked for.
        """
        self._module = module
        self._namespace = dict(vars(module))
        self._caches = _caches_by_namespace().get(id(vars(module)), []) if caches is None else caches
        self._classes: List[Tuple[type, Dict[str, Any], Dict[str, Any]]] = []  # all that it held, and what goes back
        self._attributes: List[Tuple[Dict[str, Any], Dict[str, Any]]] = []
        self._slots: List[Tuple[Any, Any, List[Any]]] = []
        self._cells: List[Tuple[Any, List[Any]]] = []
        self._containers: List[Tuple[Any, type, Any, bool]] = []  # whether there is no container in it
        self._waiting: List[Any] = []
        self._seen: set = set()  # type: ignore[type-arg]  # of identities; the syntax for it is newer than Python 3.9
        self._left = most_items
        self._objects_left = _MAX_OBJECTS
        self._remember_namespace()

    def restore(self) -> None:
        """Bring that state back; untimed."""
        for cache in self._caches:
            _clear_cache(cache)
        namespace = vars(self._module)
        if not holds_the_same(namespace, self._namespace):
            for name in [name for name in namespace if name not in self._namespace]:
                del namespace[name]
            namespace.update(self._namespace)
        self._restore_attributes()
        for cell, content in self._cells:
            _put_back(content, functools.partial(setattr, cell, "cell_contents"), functools.partial(_empty, cell))
        for container, kind, items, is_flat in self._containers:
            if not (is_flat and _is_still(container, items)):
                _EMPTYING[kind](container)
                _fill(container, kind, _copy(items))

    def _restore_attributes(self) -> None:
        for owner, all_held, attributes in self._classes:
            if holds_the_same(vars(owner), all_held):
                continue
            for name in [name for name in vars(owner) if name not in attributes and not name.startswith("__")]:
                type.__delattr__(owner, name)
            for name, value in attributes.items():
                if vars(owner).get(name) is not value:
                    type.__setattr__(owner, name, value)
        for held, attributes in self._attributes:
            if not holds_the_same(held, attributes):
                refill(held, attributes)
        for member, owner, content in self._slots:
            _put_back(content, functools.partial(member.__set__, owner), functools.partial(member.__delete__, owner))

    def _remember_namespace(self) -> None:
        self._waiting = [value for name, value in self._namespace.items() if name not in OF_EVERY_MODULE]
        while self._waiting:
            value = self._waiting.pop()
            if id(value) not in self._seen:
                self._seen.add(id(value))
                self._remember(value)

    def _remember(self, value: Any) -> None:
        kind = type(value)  # what `isinstance` asks can lie
        if issubclass(kind, (staticmethod, classmethod)):
            value = value.__func__
            kind = type(value)
        if type(value) in _EMPTYING:
            self._remember_container(value, type(value))
        elif kind is FunctionType:
            self._remember_function(value)
        elif issubclass(kind, (BuiltinFunctionType, MethodType)):
            self._waiting += [getattr(value, "__self__", None), getattr(value, "__func__", None)]
        elif kind is functools.partial:
            self._waiting += [value.func, *value.args, *value.keywords.values()]
        elif issubclass(kind, (property, _CACHE_TYPE)):
            self._waiting += [getattr(value, name, None) for name in ("fget", "fset", "fdel", "__wrapped__")]
        elif issubclass(kind, type):
            if self._is_own(value):
                attributes = {name: held for name, held in vars(value).items() if not name.startswith("__")}
                self._classes.append((value, dict(vars(value)), attributes))
                self._waiting += vars(value).values()
        elif self._is_own(kind) or kind in _HOLDING:
            self._remember_object(value)

    def _is_own(self, kind: type) -> bool:
        """Whether the class was made by the module, whatever it says of itself."""
        module = type_plans.module_of(kind)
        if type(module) is not str or module in (self._module.__name__, "__main__"):
            return True
        return type_plans.is_found(kind, module, type_plans.qualname_of(kind)) is False

    def _remember_container(self, container: Any, kind: type) -> None:
        copy: Callable[[Any], Any] = _COPYING.get(kind, _items)
        items = copy(container)
        self._left -= _count(items)
        if self._left >= 0:
            is_flat = not any(type(part) in _EMPTYING for part in _parts(items))
            self._containers.append((container, kind, _copy(items), is_flat))

    def _remember_function(self, function: FunctionType) -> None:
        if function.__globals__ is not vars(self._module):
            return
        self._remember_attributes(vars(function))
        self._waiting += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        for cell in function.__closure__ or ():
            content = made_functions.contents_of(cell)
            self._cells.append((cell, content))
            self._waiting += content

    def _remember_object(self, value: Any) -> None:
        """An object of a class of the module: its attributes and, if it is a kind of container, its items."""
        self._objects_left -= 1
        if self._objects_left < 0:
            return
        held = _dictionary_of(value)
        if type(held) is dict:
            self._remember_attributes(held)
        for base in type(value).__mro__:
            for member in list(vars(base).values()):
                if type(member) is MemberDescriptorType:
                    content = _held_in(member, value)
                    self._slots.append((member, value, content))
                    self._waiting += content
        for kind in reversed(list(_EMPTYING)):  # the most special first
            if isinstance(value, kind):
                self._remember_container(value, kind)
                break

    def _remember_attributes(self, held: Dict[str, Any]) -> None:
        self._attributes.append((held, dict(held)))
        self._waiting += held.values()


class KnownState:
    """Some attributes of classes, to be brought back with what is in them; everything else stays as it is."""

    def __init__(self, places: Sequence[Tuple[type, str]]) -> None:
        """Remember what is at these places now: classes and names in them."""
        self._held: List[Tuple[type, str, Any, Any]] = []
        for owner, name in places:
            value = vars(owner)[name]
            copied = type(value) in _EMPTYING and _count(value) <= _MAX_COPIED
            self._held.append((owner, name, value, _copy(value) if copied else None))

    def restore(self) -> None:
        """Bring it back."""
        for owner, name, value, content in self._held:
            if vars(owner).get(name) is not value:
                type.__setattr__(owner, name, value)
            if content is not None:
                refill(value, _copy(content))


def _items(container: Any) -> Dict[Any, Any]:
    return dict(dict.items(container))


def _dictionary_of(value: Any) -> Any:
    try:
        return object.__getattribute__(value, "__dict__")
    except Exception:  # noqa: BLE001 - none, or a property in its place, which may raise anything
        return None


def _held_in(member: Any, owner: Any) -> List[Any]:
    """What a slot holds: one value or none."""
    try:
        return [member.__get__(owner)]
    except AttributeError:
        return []


def _empty(cell: Any) -> None:
    del cell.cell_contents


def _put_back(content: List[Any], put: Callable[[Any], None], empty: Callable[[], None]) -> None:
    """Give a place its one value back, or none."""
    try:
        if content:
            put(content[0])
        else:
            empty()
    except (AttributeError, ValueError, TypeError):  # empty already, or read-only
        return


def cold_states(modules: Sequence[ModuleType], most_items: int) -> List[ColdState]:
    """The state of each of these modules as it is now."""
    caches = _caches_by_namespace()
    return [ColdState(module, most_items, caches.get(id(vars(module)), [])) for module in modules]


def _caches_by_namespace() -> Dict[int, List[Any]]:
    """Every functools cache around a function, wherever it is kept, by the identity of the module's namespace."""
    found: Dict[int, List[Any]] = {}
    for value in gc.get_objects():
        if type(value) is _CACHE_TYPE:
            wrapped = getattr(value, "__wrapped__", None)
            if isinstance(wrapped, FunctionType):
                found.setdefault(id(wrapped.__globals__), []).append(value)
    return found


def holds_the_same(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> bool:
    """Whether two namespaces hold the same objects under the same names in the same order; nothing is asked of them."""
    return len(one) == len(other) and all(map(is_, one, other)) and all(map(is_, one.values(), other.values()))


def _is_still(container: Any, items: Any) -> bool:
    """Whether a list or a dictionary holds what it held; no is no answer."""
    if type(container) is dict:
        return holds_the_same(container, items)
    return type(container) is list and len(container) == len(items) and all(map(is_, container, items))


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

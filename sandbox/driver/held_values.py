"""Tells whether what modules hold is still what it was, by the identity of everything that it is made of.

To encode what the modules of a large package hold, twice for each call, takes far longer than most calls. Nothing is
asked of the values: no code of theirs is run.
"""

from __future__ import annotations

import _thread
import collections
import re
from operator import is_
from types import BuiltinFunctionType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, Callable, Dict, Hashable, List, NamedTuple, Optional, Tuple

from . import builtin_values, type_plans

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

_NOTHING = object()
_Reader = Callable[[Any], Tuple[Any, ...]]

# Tells objects that live at the same time apart, without the audit hook that `id` calls.
_identity = object.__hash__
_UNCHANGING = (
    *(str, int, bool, type(None), float, bytes, complex, range, re.Pattern, ModuleType),
    *(MemberDescriptorType, type(_thread.allocate_lock()), _thread.RLock),  # nothing is told of locks but their type
)
_MOST_ITEMS = 3_000  # in one value: to go through more takes as long as to encode it
_MOST_PARTS = 10_000  # that are remembered, unless what is known is made of more


def _keys_and_values(value: Any) -> Tuple[Any, ...]:
    return (*value, *value.values())


def _of_ordered_dict(value: Any) -> Tuple[Any, ...]:
    """Keys in their order, and values; no code of theirs is run. Something new each time if the order is not known."""
    keys = builtin_values.keys_in_order(value)
    return (object(),) if keys is None else (*keys, *dict.values(value))


# What is in a value, by the identity of its type: a metaclass may have a hash of its own, which is user code.
_FROZEN: Dict[int, _Reader] = {
    _identity(tuple): lambda value: value,
    _identity(frozenset): tuple,
    _identity(BuiltinFunctionType): lambda value: (value.__self__,),
    _identity(MethodType): lambda value: (value.__self__, value.__func__),
}
_OF_CONTAINERS: Dict[int, _Reader] = {
    _identity(list): tuple,
    _identity(dict): _keys_and_values,
    _identity(set): tuple,
    _identity(collections.deque): lambda value: (value.maxlen, *value),
    _identity(collections.OrderedDict): _of_ordered_dict,
    _identity(collections.defaultdict): lambda value: (value.default_factory, *_keys_and_values(value)),
}


class _Part:
    """Something in a value that can change, and what was in it."""

    def __init__(self, owner: Any, read: _Reader, look: int) -> None:
        """Remember what is in it now, at the look with this number."""
        self.owner, self._kind, self._read = owner, type(owner), read
        self.inside = read(owner)
        self._look, self._is_same = look, True

    def is_same(self, look: int) -> bool:
        """Whether it holds the same objects in the same order; found out once for each look."""
        if self._look != look:
            self._look, self._is_same = look, type(self.owner) is self._kind and self._holds_the_same()
        return self._is_same

    def _holds_the_same(self) -> bool:
        now, then = self._read(self.owner), self.inside
        return len(now) == len(then) and all(map(is_, now, then))


class _Known(NamedTuple):
    value: Any
    kind: type
    parts: List[_Part]
    digest: str


class HeldValues:
    """The digests of values that are looked at again and again, and the parts of these, which they may share.

    Nothing may change during a look.
    """

    def __init__(self) -> None:
        """Nothing is known."""
        self._known: Dict[Hashable, _Known] = {}
        self._unkept: Dict[Hashable, Any] = {}  # values whose changes may not be seen here
        self._parts: Dict[int, _Part] = {}  # by the identity of their owners, which they hold
        self._most_parts = _MOST_PARTS
        self._readers: Dict[int, Tuple[type, Optional[_Reader]]] = {}  # by the identity of the class, which is held
        self._look = 0

    def look_again(self) -> None:
        """Begin another look: what was the same may have changed."""
        self._look += 1
        if len(self._parts) > self._most_parts:  # of values that are gone
            parts = (part for known in self._known.values() for part in known.parts)
            self._parts = {_identity(part.owner): part for part in parts}
            self._most_parts = max(_MOST_PARTS, 2 * len(self._parts))

    def digest_of(self, key: Hashable, value: Any) -> Optional[str]:
        """The digest that was kept, if the value is what it was then; else None."""
        known = self._known.get(key)
        if known is None or known.value is not value or type(value) is not known.kind:
            return None
        look = self._look
        return known.digest if all(part.is_same(look) for part in known.parts) else None

    def keep(self, key: Hashable, value: Any, digest: str) -> None:
        """Keep the digest of a value, unless something in it could change without being seen here."""
        if self._unkept.get(key, _NOTHING) is value:
            return
        parts = self._parts_of(value)
        if parts is None:
            self._known.pop(key, None)
            self._unkept[key] = value
        else:
            self._known[key] = _Known(value, type(value), parts, digest)

    def _parts_of(self, value: Any) -> Optional[List[_Part]]:
        """All that can change in it; None if that cannot be told, or is too much."""
        found: List[_Part] = []
        seen: Dict[int, Any] = {}
        items, waiting = 0, [value]
        while waiting:
            current = waiting.pop()
            if _cannot_change(current) or _identity(current) in seen:
                continue
            seen[_identity(current)] = current
            frozen = _FROZEN.get(_identity(type(current)))
            if frozen is not None:
                waiting += frozen(current)
                items += len(frozen(current))
                continue
            read = self._reader_of(type(current))
            if read is None or self._is_long(current) or items > _MOST_ITEMS:
                return None
            found.append(self._part_of(current, read))
            waiting += found[-1].inside
            items += len(found[-1].inside)
        return found

    def _is_long(self, value: Any) -> bool:
        return _identity(type(value)) in _OF_CONTAINERS and len(value) > _MOST_ITEMS

    def _part_of(self, owner: Any, read: _Reader) -> _Part:
        known = self._parts.get(_identity(owner))
        if known is None or not known.is_same(self._look):
            known = self._parts[_identity(owner)] = _Part(owner, read, self._look)
        return known

    def _reader_of(self, kind: type) -> Optional[_Reader]:
        read = _OF_CONTAINERS.get(_identity(kind))
        if read is not None:
            return read
        known = self._readers.get(_identity(kind))
        if known is None:
            known = self._readers[_identity(kind)] = (kind, type_plans.reader_of_all(kind))
        return known[1]


def _cannot_change(value: Any) -> bool:
    """Whether what is told of this object never changes."""
    kind = type(value)
    if kind is FunctionType:
        return value.__closure__ is None
    return issubclass(kind, type) or any(kind is each for each in _UNCHANGING)

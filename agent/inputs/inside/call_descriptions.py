"""Short, bounded text for values and calls, made without running any code of the user's."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Sequence, Tuple

from .list_iterators import LIST_ITERATOR, items_left

MAX_TEXT = 120
MAX_ITEMS = 3
MAX_DEPTH = 3
MAX_STRING = 24

_BRACKETS: Dict[type, Tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
}


def describe_call(qualname: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Text such as `pairs([3, 1, …], 7)`; a method's first argument is described by its type."""
    parts = [describe(value) for value in args]
    parts += ["%s=%s" % (name, describe(value)) for name, value in kwargs.items()]
    return _cut("%s(%s)" % (qualname, ", ".join(parts)), MAX_TEXT)


def describe(value: Any, depth: int = 0) -> str:
    """Text for one value. Only exact built-in types are looked into: a subclass may have a `__repr__` of its own."""
    kind = type(value)
    if kind is str or kind is bytes:
        return repr(value) if len(value) <= MAX_STRING else repr(value[:MAX_STRING])[:-1] + "…" + repr(value)[-1]
    if kind is int and value.bit_length() > 200:
        return "<int of %d bits>" % value.bit_length()
    if kind in (int, float, complex, bool) or value is None:
        return repr(value)
    if depth < MAX_DEPTH and kind in _BRACKETS:
        return _items(value, _BRACKETS[kind], depth)
    if depth < MAX_DEPTH and kind is dict:
        pairs = [
            "%s: %s" % (describe(key, depth + 1), describe(item, depth + 1))
            for key, item in _first(value.items(), MAX_ITEMS)
        ]
        return "{%s%s}" % (", ".join(pairs), ", …" if len(value) > MAX_ITEMS else "")
    return _named(value, depth)


def _named(value: Any, depth: int) -> str:
    if type(value) is LIST_ITERATOR:
        return "iter(%s)" % describe(items_left(value), depth)
    return value.__name__ if type(value) is type else "<%s>" % type(value).__name__


def size_of(value: Any) -> Any:
    """How much work a value may mean: its length, or the magnitude of an integer. 0 for what cannot be told."""
    if type(value) in (list, tuple, set, frozenset, dict, str, bytes, bytearray):
        return len(value)
    return abs(value) if type(value) is int else 0


def _items(value: Any, brackets: Tuple[str, str], depth: int) -> str:
    if not value and type(value) in (set, frozenset):
        return "%s()" % type(value).__name__
    parts = [describe(item, depth + 1) for item in _first(value, MAX_ITEMS)]
    more = ", …" if len(value) > MAX_ITEMS else "," if type(value) is tuple and len(parts) == 1 else ""
    return brackets[0] + ", ".join(parts) + more + brackets[1]


def _first(iterable: Iterable[Any], count: int) -> List[Any]:
    found: List[Any] = []
    for item in iterable:
        if len(found) == count:
            break
        found.append(item)
    return found


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"

"""Containers of the user's own classes, taken as the builtin ones that they derive from.

What such a container holds is read past its own methods. One with other content is made by its own constructor, or by
its own public methods, and counts only if it then holds that content: a class may forbid it, or spell keys its own way.
"""

from __future__ import annotations

import collections
import contextlib
import copy
from typing import Any, Callable, Dict, List, Sequence, Tuple

MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
SEQUENCES = (list, tuple, collections.deque)
SETS = (set, frozenset)
HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class that was written in Python
ATOMS = frozenset((int, float, complex, bool, str, bytes, type(None)))  # unchangeable, and with no parts
CONTAINERS = frozenset((*MAPPINGS, *SEQUENCES, *SETS))


class NotBuildableError(TypeError):
    """There is no object of a class with these parts, or no way to make it."""


def container_kind(value: Any) -> type:
    """The builtin container that a value is or derives from; its own type if it is none, or a named tuple."""
    kind = type(value)
    if kind in CONTAINERS or not kind.__flags__ & HEAP_TYPE or is_named_tuple(kind):
        return kind
    return next((base for base in kind.__mro__ if base in CONTAINERS), kind)


def is_named_tuple(kind: type) -> bool:
    """Whether it is a class of tuples with names."""
    return issubclass(kind, tuple) and kind is not tuple and type(getattr(kind, "_fields", None)) is tuple


def of_user_class(value: Any) -> bool:
    """Whether it is a container of a class of the user's own."""
    return container_kind(value) is not type(value)


def plain_of(value: Any) -> Any:
    """What a container of a user's class holds, as a builtin container; everything else as it is."""
    kind: Any = container_kind(value)
    if kind is type(value):
        return value
    if kind in MAPPINGS:
        content = {key: dict.__getitem__(value, key) for key in dict.__iter__(value)}
        return content if kind is not collections.OrderedDict else collections.OrderedDict(content)
    return kind(kind.__iter__(value))


def alike(container: Any, content: Any) -> Any:
    """A container of the same class with the content of a builtin one.

    Raises:
        NotBuildableError: the class makes none that holds just this.
    """
    kind = type(container)
    if container_kind(container) is kind:
        return content
    present = plain_of(container)
    by_constructor = [make for make in _CONSTRUCTING if _made(make, container, present) is not None]
    for make in by_constructor or [_refilled]:
        made = _made(make, container, content)
        if made is not None:
            return made
    raise NotBuildableError(kind.__name__)


def separate(items: Sequence[Any]) -> List[Any]:
    """The items, with a copy of each that stands there again and can be changed.

    Two equal orders in a list are two orders. One that is in there twice, where no real call has that, is another
    matter, which a right rewrite may well treat in another way.
    """
    seen: Dict[int, Any] = {}
    made = []
    for item in items:
        if id(item) in seen and type(item) not in ATOMS and not callable(item):
            with contextlib.suppress(Exception):  # copying runs code of its class
                item = copy.deepcopy(item)  # noqa: PLW2901 - the copy stands in for it
        seen[id(item)] = item
        made.append(item)
    return made


def _made(make: Callable[[Any, Any], Any], container: Any, content: Any) -> Any:
    """What this way makes, if it is of the same class and holds just this; else None."""
    with contextlib.suppress(Exception):  # whatever the class says, it cannot be made this way
        made = make(container, content)
        if type(made) is type(container) and _same(plain_of(made), content) and _names(made) == _names(container):
            return made
    return None


def _refilled(container: Any, content: Any) -> Any:
    """A copy, emptied and filled: for a class whose constructor takes something else than the content."""
    made = copy.copy(container)
    made.clear()
    (made.extend if container_kind(container) in SEQUENCES else made.update)(content)
    return made


_CONSTRUCTING: Tuple[Callable[[Any, Any], Any], ...] = (
    lambda container, content: type(container)(content),
    lambda container, content: type(container)(list(content.items())),
)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, SETS):
        return bool(one == other)
    return _ids(one) == _ids(other)


def _ids(content: Any) -> Sequence[Tuple[Any, ...]]:
    if isinstance(content, dict):
        return [(key, id(value)) for key, value in content.items()]
    return [(id(value),) for value in content]


def _names(value: Any) -> List[str]:
    held: Dict[str, Any] = getattr(value, "__dict__", {})
    return sorted(held)

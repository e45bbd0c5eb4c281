"""Values of other kinds than the real ones, for a place whose kind a hint leaves open: callers may give them."""

from __future__ import annotations

import collections
import contextlib
from itertools import islice
from typing import Any, Callable, Collection, Dict, Iterable, Iterator, List, Tuple

from .call_parts import Place, Root, like, put, with_values
from .container_kinds import (
    MAPPINGS,
    SEQUENCES,
    SETS,
    NotBuildableError,
    alike,
    container_kind,
    is_named_tuple,
    plain_of,
)
from .edge_values import FEW, ROUNDED
from .related_values import SCALARS

Edge = Tuple[str, Any]  # kind, value

DEEPEST = 4
MOST_KEYS = 4  # of a table whose values are None in turn
MOST_COLUMNS = 8  # whose values are put into lists in turn
EXACT = 2**53  # floats stand for all integers below
NONE, UNHASHABLE = "None among others", "elements that cannot be hashed"
LIKE_TUPLES, OTHER_TYPE = "lists beside equal tuples", "equal value of another type"
FRACTIONS = "fractions for integers"
OF_OTHER_CLASS = "container of another class"
OTHER_SEQUENCE, NESTED = "another kind of sequence", "sequence within a sequence"


def open_edges(value: Any) -> Iterator[Edge]:
    """None, what cannot be hashed, lists beside equal tuples, and an equal value of another type.

    Rows stay rows: what has another form than the real ones is no input.
    """
    made = _EDGES.get(container_kind(value))
    with contextlib.suppress(NotBuildableError):
        yield from made(value) if made else ()


def open_elements(value: Any) -> Iterator[Edge]:
    """The same as `elements_alone`, and a sequence in itself: what an object or a table holds may be nested deeper."""
    yield from elements_alone(value)
    if container_kind(value) in SEQUENCES and len(value):
        with contextlib.suppress(NotBuildableError):
            yield NESTED, like(value, [like(value, list(plain_of(value)))])


def elements_alone(value: Any) -> Iterator[Edge]:
    """Elements that cannot be hashed or put in order, fractions for integers, and None as a value of a table.

    `get(key) is None` is true for a key whose value is None, and `key not in table` is not. Sums of fractions depend on
    the order in which they are made.
    """
    kind = container_kind(value)
    with contextlib.suppress(NotBuildableError):
        if kind in SEQUENCES:
            yield from (edge for edge in open_edges(value) if edge[0] in (NONE, UNHASHABLE))
            if type(next(iter(plain_of(value)), None)) is int:
                yield from ((FRACTIONS, like(value, list(rounded))) for rounded in ROUNDED)
        elif kind in MAPPINGS:
            for key in islice(plain_of(value), MOST_KEYS):
                yield NONE, put(value, key, None)


def wrapped(value: Any, kind: type, depth: int = 0) -> Any:
    """The value with each part of a type in a list of its own: equal and ordered as before, and not to be hashed.

    Keys stay as they are, and nothing is looked into but containers. Without such a part, it is the value itself.
    """
    if type(value) is kind:
        return [value]
    if depth > DEEPEST or type(value) not in (*SEQUENCES, *MAPPINGS):
        return value
    parts = list(value.values() if type(value) in MAPPINGS else value)
    new = [wrapped(part, kind, depth + 1) for part in parts]
    if list(map(id, new)) == list(map(id, parts)):
        return value
    if type(value) in SEQUENCES:
        return like(value, new)
    copied = value.copy()
    dict.update(copied, zip(value, new))  # noqa: B905 - Python 3.9 has no strict; a Counter would count
    return copied


def wrapped_columns(root: Root, known: Iterable[Place]) -> Iterator[Root]:
    """The call with the scalars of one column in lists of their own, since another column may have to be hashed.

    Of each column first those in all rows that `places` shows, so that equal ones stay equal in short tables, then that
    in the last row alone. Nothing is looked into but containers, and arguments stay what they are.

    Args:
        root: the call.
        known: the places in it that may be changed.
    """
    columns: Dict[Any, List[Tuple[Place, Any]]] = {}
    for place in known:
        kind = container_kind(place.holder)
        is_part = len(place.site) > 1 and (kind in (*SEQUENCES, *MAPPINGS) or is_named_tuple(kind))
        if is_part and type(place.value) in SCALARS and not any(step.startswith(".") for step in place.site):
            index = place.key if place.site[-2:] == ("*", "*") else None  # rows that are lists have no sites by index
            columns.setdefault((place.site, index), []).append((place, [place.value]))
    first = list(islice(columns.values(), MOST_COLUMNS))
    yield from (with_values(root, column) for column in first)
    yield from (with_values(root, column[-1:]) for column in first if len(column) > 1)


def other_sequences(value: Any) -> Iterator[Edge]:
    """Sequences of other kinds with the same elements, or with as many, in the place of one."""
    if type(value) not in SEQUENCES:
        return
    items = list(value)
    for kind in (tuple, list, collections.deque):
        if kind is not type(value):
            yield OTHER_SEQUENCE, kind(items)
    if items and type(items[0]) is int:
        yield OTHER_SEQUENCE, range(items[0], items[0] + len(items))


def of_other_classes(value: Any, abstract: Collection[type]) -> Iterator[Edge]:
    """The value as a container of a class that does not derive from its own, where the code asks for both alike.

    Args:
        value: a dictionary or a list; of others there are none.
        abstract: the abstract classes that the code names, such as `Mapping`.
    """
    for kind, other in ((dict, collections.UserDict), (list, collections.UserList)):
        if type(value) is kind and any(issubclass(kind, each) and issubclass(other, each) for each in abstract):
            yield OF_OTHER_CLASS, other(value)


def _in_sequence(value: Any) -> Iterator[Edge]:
    first = next(iter(plain_of(value)), None)
    if type(first) in SCALARS:
        yield UNHASHABLE, like(value, [[first], [first]])
        # Whoever stops at what decides, such as a second equal element, never looks at the last one.
        yield NONE, like(value, [*islice(plain_of(value), FEW), None])
        yield LIKE_TUPLES, like(value, [(first,), [first]])
        yield NONE, like(value, [first, None])
        yield NONE, like(value, [first, first, None])
        yield UNHASHABLE, like(value, [{}, first])
    elif type(first) is tuple and first:
        yield UNHASHABLE, like(value, [list(first), list(first)])
        yield LIKE_TUPLES, like(value, [first, list(first)])


def _in_mapping(value: Any) -> Iterator[Edge]:
    for key, part in list(plain_of(value).items())[:1]:
        if type(part) in SCALARS:
            copied = plain_of(value).copy()
            copied[key] = None
            yield NONE, alike(value, copied)


def _in_set(value: Any) -> Iterator[Edge]:
    first = next(iter(plain_of(value)), None)
    if type(first) in SCALARS:
        yield NONE, alike(value, container_kind(value)((first, None)))


def _of_integer(value: int) -> Iterator[Edge]:
    yield "None", None
    if abs(value) < EXACT:
        yield OTHER_TYPE, float(value)


def _of_float(value: float) -> Iterator[Edge]:
    yield "None", None
    if value.is_integer():
        yield OTHER_TYPE, int(value)


def _of_text(_value: Any) -> Iterator[Edge]:
    yield "None", None


_EDGES: Dict[type, Callable[[Any], Iterator[Edge]]] = {
    **dict.fromkeys(SEQUENCES, _in_sequence),
    **dict.fromkeys(MAPPINGS, _in_mapping),
    **dict.fromkeys(SETS, _in_set),
    int: _of_integer,
    float: _of_float,
    str: _of_text,
    bytes: _of_text,
}

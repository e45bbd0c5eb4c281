"""Which kinds of values stand in a place of several calls, at every depth: types, lengths of rows, keys of records."""

from __future__ import annotations

from itertools import islice
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, MethodType
from typing import Any, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .array_tiles import is_array
from .call_parts import MANY, SHORT_TUPLE, fields
from .container_kinds import ATOMS, HEAP_TYPE, MAPPINGS, SEQUENCES, SETS, container_kind, is_named_tuple, plain_of
from .list_iterators import LIST_ITERATOR, items_left
from .object_edges import is_frame

MOST_ITEMS = 2_000  # of one container that are looked at
MOST_VALUES = 20_000  # in one place of all calls together
MOST_DEPTH = 8
MOST_STEPS = 64  # names of records, or attributes of objects, in one place

_FUNCTIONS = frozenset((FunctionType, BuiltinFunctionType, MethodType, MethodDescriptorType))

# How to get from a container to what it holds: "item", "key", "value", or "index", "name" or "attribute" and which one.
Step = Tuple[str, Any]


class Form(NamedTuple):
    """How the containers in one place are built."""

    row: Optional[type] = None  # the type of rows that all have one length; None: there are no such
    length: int = 0  # of each row
    keys: FrozenSet[str] = frozenset()  # that each record has; empty: these are tables
    is_closed: bool = False  # whether no record has another key


class Observed(NamedTuple):
    """What stood in one place of the calls. Where `parts` is None, it was not looked inside."""

    kinds: FrozenSet[type]
    form: Form
    parts: Optional[Dict[Step, Observed]]

    def with_kind(self, kind: type) -> Observed:
        """The same with one more type."""
        return self._replace(kinds=self.kinds | {kind})

    def as_iterable(self) -> Observed:
        """The same of what any iterable may stand for: an iterator, too, and the characters of texts as elements."""
        step: Step = ("item", None)
        parts = dict(self.parts or {})
        if str in self.kinds:
            parts[step] = parts.get(step, NOTHING).with_kind(str)
        return self._replace(kinds=self.kinds | {LIST_ITERATOR}, parts=parts)

    def has(self, value: Any) -> bool:
        """Whether a value is of one of the types, or of a subclass of a user's class among them.

        Exact types count: True is no int. But who may give a function may give any, also one of C.
        """
        kind = type(value)
        if kind in _FUNCTIONS and not self.kinds.isdisjoint(_FUNCTIONS):
            return True
        return kind in self.kinds or any(known.__flags__ & HEAP_TYPE and known in kind.__mro__ for known in self.kinds)


NOTHING = Observed(frozenset(), Form(), {})


def observe(values: Sequence[Any], depth: int = 0) -> Observed:
    """What stands in a place that held these values; depth 0 is an argument."""
    kinds = frozenset(map(type, values))
    if kinds <= ATOMS:
        return Observed(kinds, Form(), None if depth >= MOST_DEPTH else {})
    form = _form_of(values, is_argument=depth == 0)
    if depth >= MOST_DEPTH:
        return Observed(kinds, form, None)
    found: Dict[Step, List[Any]] = {}
    for value in values:
        for step, part in steps(value, form):
            known = found.setdefault(step, []) if step in found or len(found) < MOST_STEPS else []
            if len(known) < MOST_VALUES:
                known.append(part)
    return Observed(kinds, form, {step: observe(parts, depth + 1) for step, parts in found.items()})


def steps(value: Any, form: Form, most: int = MOST_ITEMS) -> Iterator[Tuple[Step, Any]]:
    """What a container or an object holds directly, each with the way to it."""
    kind = container_kind(value)
    if is_array(value) or is_frame(value):
        return
    if is_named_tuple(kind):
        yield from ((("attribute", name), part) for name, part in zip(kind._fields, value))  # type: ignore[attr-defined]  # noqa: B905 - Python 3.9 has no strict
    elif kind in MAPPINGS:
        for key, part in islice(plain_of(value).items(), most):
            if form.keys:
                yield ("name", key), part
            else:
                yield ("key", None), key
                yield ("value", None), part
    elif kind is tuple and form.row is tuple and form.length == len(value):
        yield from ((("index", at), part) for at, part in enumerate(plain_of(value)))
    elif kind in SEQUENCES or kind in SETS:
        yield from ((("item", None), part) for part in islice(plain_of(value), most))
    elif kind is LIST_ITERATOR:
        yield from ((("item", None), part) for part in islice(items_left(value), most))
    else:
        yield from ((("attribute", name), part) for name, part in fields(value).items())


def _form_of(values: Sequence[Any], *, is_argument: bool) -> Form:
    mappings = [plain_of(value) for value in values if container_kind(value) in MAPPINGS]
    rows = [value for value in values if type(value) is tuple or (type(value) is list and not is_argument)]
    keys = _shared_keys(mappings, is_argument=is_argument)
    is_closed = bool(keys) and len(mappings) >= MANY and all(keys == set(each) for each in mappings)
    if _have_one_length(rows, is_argument=is_argument):
        return Form(type(rows[0]), len(rows[0]), keys, is_closed)
    return Form(None, 0, keys, is_closed)


def _shared_keys(mappings: Sequence[Dict[Any, Any]], *, is_argument: bool) -> FrozenSet[str]:
    """The names that all of several mappings have: records. A table given as an argument has values of one type."""
    if len(mappings) < 2 or not all(type(key) is str for each in mappings for key in islice(each, MOST_ITEMS)):
        return frozenset()
    if is_argument and len({type(part) for each in mappings for part in islice(each.values(), MOST_ITEMS)}) < 2:
        return frozenset()
    return frozenset.intersection(*(frozenset(each) for each in mappings))


def _have_one_length(rows: Sequence[Any], *, is_argument: bool) -> bool:
    """Whether rows are of one type and one length, as `call_parts.fixed_sites` takes it for a rule."""
    if not rows or not len(rows[0]) or len({(type(row), len(row)) for row in rows}) > 1:
        return False
    if type(rows[0]) is list:
        return len(rows) >= MANY and len(rows[0]) > 1
    return len(rows[0]) <= SHORT_TUPLE and (not is_argument or len(set(map(type, rows[0]))) > 1)

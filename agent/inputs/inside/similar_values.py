"""Strategies of Hypothesis for values that are like given ones: of the same types, with parts like theirs."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Sequence

from .call_parts import MANY, SHORT_TUPLE, fields, is_made_whole, like, record_with, taken_attributes
from .container_kinds import MAPPINGS, SEQUENCES, alike, container_kind, is_named_tuple, plain_of
from .edge_values import HUGE_INTEGERS, ODD_FLOATS, ODD_TEXTS

if TYPE_CHECKING:
    from .related_values import Constants

POOL = 40  # elements of one container that are looked at
MAX_SIZE = 10
MAX_DEPTH = 4
_ODD = "".join(ODD_TEXTS) + string.whitespace + string.punctuation + "aA0\x00"


class Likeness:
    """Makes strategies for values that are like given ones; `constants` are what the code mentions."""

    def __init__(self, constants: Constants) -> None:
        from hypothesis import strategies  # noqa: PLC0415 - only now may it be there

        self._constants = constants
        self.st: Any = strategies

    def of_values(self, known: Sequence[Any], depth: int = 0) -> Any:
        """A strategy for what may stand where these values stand: of the same types, with parts like theirs."""
        by_kind: Dict[type, List[Any]] = {}
        for value in known:
            by_kind.setdefault(type(value), []).append(value)
        return self.st.one_of([self._of_kind(kind, values, depth) for kind, values in by_kind.items()])

    def _of_kind(self, kind: type, values: List[Any], depth: int) -> Any:  # noqa: PLR0911 - one way for each kind
        same = self.st.sampled_from(values)
        if depth >= MAX_DEPTH:
            return same
        builtin = container_kind(values[0])
        if builtin is not kind:
            plain = self._of_kind(builtin, list(map(plain_of, values)), depth)
            return plain.map(lambda content: alike(values[0], content))
        if kind in _ATOMS:
            constants = self._constants.samples(kind)
            mentioned = [self.st.sampled_from(constants)] if constants else []
            if constants and kind is str:
                words = sorted({word for value in values for word in value.split()[:5]}) or ["a"]
                mixed = self.st.one_of(self.st.sampled_from(words), self.st.sampled_from(constants))
                mentioned.append(self.st.lists(mixed, min_size=2, max_size=5).map(" ".join))
            return self.st.one_of(same, *mentioned, *_ATOMS[kind](self.st, values))
        if is_named_tuple(kind) or _is_row(kind, values, depth):
            columns = [self.of_values(column, depth + 1) for column in zip(*values)]  # noqa: B905 - of one length
            return self.st.tuples(*columns).map(lambda items: like(values[0], items))
        if kind in SEQUENCES or kind in (set, frozenset):
            return self._collections(values, depth)
        if kind in MAPPINGS:
            return self._mappings(values, depth)
        held = [fields(value) for value in values]
        if held[0] and all(each.keys() == held[0].keys() for each in held):
            taken = [name for name in taken_attributes(values[0]) if name in held[0]] or list(held[0])
            columns_by_name = {name: self.of_values([each[name] for each in held], depth + 1) for name in taken}
            made = self.st.fixed_dictionaries(columns_by_name).map(lambda changed: record_with(values[0], changed))
            return made if is_made_whole(values[0]) else self.st.one_of(same, made)
        return same

    def _collections(self, values: List[Any], depth: int) -> Any:
        elements = [item for value in values for item in list(value)[:POOL]][: 2 * POOL]
        if not elements:
            return self.st.sampled_from(values)
        real, any_like = self.st.sampled_from(elements), self.of_values(elements, depth + 1)
        lists = self.st.one_of(
            self.st.lists(any_like, max_size=MAX_SIZE),
            self.st.lists(self.st.one_of(real, any_like), max_size=2 * MAX_SIZE),
            # Few different ones, so that many are equal.
            self.st.lists(any_like, min_size=1, max_size=3).flatmap(
                lambda few: self.st.lists(self.st.sampled_from(few), max_size=MAX_SIZE)
            ),
        )
        return lists.map(lambda items: like(values[0], items))

    def _mappings(self, values: List[Any], depth: int) -> Any:
        items = [item for value in values for item in list(value.items())[:POOL]][: 2 * POOL]
        if not items:
            return self.st.sampled_from(values)
        keys, held = [key for key, _ in items], [item for _, item in items]

        def of(content: Dict[Any, Any]) -> Any:
            copied = values[0].copy()
            copied.clear()
            copied.update(content)
            return copied

        names = set(values[0])
        if all(type(key) is str for key in keys) and all(set(value) == names for value in values):
            columns = {name: self.of_values([value[name] for value in values], depth + 1) for name in values[0]}
            return self.st.fixed_dictionaries(columns).map(of)
        return self.st.dictionaries(
            self.st.one_of(self.st.sampled_from(keys), self.of_values(keys, depth + 1)),
            self.of_values(held, depth + 1),
            max_size=MAX_SIZE,
        ).map(of)


def _is_row(kind: type, values: Sequence[Any], depth: int) -> bool:
    """Whether these have a fixed length, so that each place has a meaning of its own; see `fixed_sites`."""
    if kind is not tuple and not (kind is list and depth and len(values) >= MANY):
        return False
    return 0 < len(values[0]) <= SHORT_TUPLE and all(len(value) == len(values[0]) for value in values)


def _integers(st: Any, _values: List[Any]) -> Iterator[Any]:
    yield st.integers(-3, MAX_SIZE + 2)
    yield st.integers(-1000, 1000)
    yield st.one_of(st.booleans(), st.sampled_from(HUGE_INTEGERS), st.integers(-(2**40), 2**40))


def _floats(st: Any, _values: List[Any]) -> Iterator[Any]:
    yield st.floats(-100, 100)
    yield st.sampled_from((0.0, 1.0, 0.1, 0.2, 0.3, -1.5))
    yield st.one_of(st.floats(), st.sampled_from(ODD_FLOATS))


def _texts(st: Any, values: List[Any]) -> Iterator[Any]:
    own = sorted(set("".join(values)[:2000]))
    if own:
        yield st.text(own, max_size=MAX_SIZE)
    yield st.text(own[:20] + list(_ODD), max_size=MAX_SIZE)
    pieces = st.sampled_from(
        sorted({piece for value in values for piece in (*value.split()[:5], value[:3], value[-3:])})
    )
    yield st.lists(pieces, max_size=4).map(" ".join)
    yield st.lists(pieces, max_size=4).map("".join)


def _bytes(st: Any, values: List[Any]) -> Iterator[Any]:
    yield st.binary(max_size=MAX_SIZE).map(type(values[0]))


_ATOMS: Dict[type, Callable[[Any, List[Any]], Iterator[Any]]] = {
    bool: lambda st, _values: iter((st.booleans(),)),
    int: _integers,
    float: _floats,
    str: _texts,
    bytes: _bytes,
    bytearray: _bytes,
}

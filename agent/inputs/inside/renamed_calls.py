"""The same call with other values for those that break an assumption, wherever these stand.

Two versions may differ on `value(names=[""], pairs=[("", 1), ("", 2)])`, and every real name holds no blanks. Whether
that is why, the same call with a real name for `""` tells, in both arguments: what is equal stays equal.
"""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterable, Iterator, List, Sequence, Tuple

from .call_parts import Root, attributes, fields, like, record_with, taken_attributes
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

MOST_RENAMED = 40  # different values of one call
MOST_ITEMS = 2_000  # of one container
_NAMES = (str, int, float)
_DEEPEST = 6

Names = Dict[Tuple[type, Any], Any]  # the new value, by the type of the old one and the old one


def renamed(root: Root, given: Iterable[Any], others: Sequence[Any]) -> Iterator[Root]:
    """The call with values of other calls in the place of all that some arguments hold; none if there are too few.

    Args:
        root: the call.
        given: those of its arguments that break an assumption.
        others: what real calls give for them.
    """
    own = list(_leaves(list(given)))
    held = set(_leaves(root))
    free: Dict[type, List[Any]] = {}
    for kind, value in _leaves(list(others)):
        if (kind, value) not in held:
            free.setdefault(kind, []).append(value)
    names: Names = {}
    for kind, value in own[:MOST_RENAMED]:
        if free.get(kind):
            names[kind, value] = free[kind].pop(0)
    if names:
        with contextlib.suppress(NotBuildableError):
            args, kwargs = root
            named = {name: _with_names(value, names, 0) for name, value in kwargs.items()}
            yield [[_with_names(value, names, 0) for value in args], named]


def _leaves(value: Any, depth: int = 0) -> Dict[Tuple[type, Any], None]:
    """The texts and numbers in a value, each once, in their order."""
    kind = type(value)
    if kind in _NAMES:
        return {(kind, value): None}
    found: Dict[Tuple[type, Any], None] = {}
    for part in _parts(value) if depth < _DEEPEST else ():
        found.update(_leaves(part, depth + 1))
    return found


def _parts(value: Any) -> List[Any]:
    kind, plain = container_kind(value), plain_of(value)
    if kind in MAPPINGS:
        return [part for item in list(plain.items())[:MOST_ITEMS] for part in item]
    if kind in (*SEQUENCES, *SETS) or is_named_tuple(kind):
        return list(plain)[:MOST_ITEMS]
    return list(fields(value).values())


def _with_names(value: Any, names: Names, depth: int) -> Any:
    """The value with other names in it.

    Raises:
        NotBuildableError: a class makes no such object.
    """
    kind = container_kind(value)
    if type(value) in _NAMES:
        return names.get((type(value), value), value)
    if depth == _DEEPEST:
        return value
    if kind in MAPPINGS:
        copied = plain_of(value).copy()
        copied.clear()
        for key, each in plain_of(value).items():
            copied[_with_names(key, names, depth + 1)] = _with_names(each, names, depth + 1)
        return alike(value, copied)
    if kind in (*SEQUENCES, *SETS) or is_named_tuple(kind):
        return like(value, [_with_names(each, names, depth + 1) for each in plain_of(value)])
    held = {**attributes(value), **fields(value)}
    changed = {name: _with_names(held[name], names, depth + 1) for name in taken_attributes(value) if name in held}
    changed = {name: each for name, each in changed.items() if each is not held[name]}
    return record_with(value, changed) if changed else value

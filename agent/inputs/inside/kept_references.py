"""Lets what refers to a table lead somewhere after the table was cut.

A small piece of a call has the first few entries of a table. The other arguments, and the entries themselves, mostly
name entries that are gone: all that a function could do with such a piece is raise KeyError.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Collection, Dict, List

from .container_kinds import container_kind

if TYPE_CHECKING:
    from .call_parts import Root

_CONTAINERS = (list, set, frozenset)
_NAMES = (str, int)
_DEEPEST = 4


def with_references(whole: Root, piece: Root) -> Root:
    """The piece of a call in which nothing leads to lost entries of a table.

    In other arguments their names become those of entries that are there, the same one everywhere, the last ones
    first: where entries follow what they refer to, these lead the furthest. An entry's own links to lost ones are left
    out: with others in their place, a table without cycles could get some.
    """
    values, cuts = _values(whole), _values(piece)
    for at, (uncut, cut) in enumerate(zip(values, cuts)):  # noqa: B905 - for Python 3.9
        if container_kind(uncut) is dict and 0 < len(cut) < len(uncut) and all(type(key) in _NAMES for key in cut):
            renamed = _renaming(uncut, cut)
            others = [_renamed(value, renamed) for value in cuts]
            entries = {key: _linked(value, uncut, cut) for key, value in cut.items()}
            cuts = [*others[:at], entries if type(cut) is dict else cut, *others[at + 1 :]]
    count = len(piece[0])
    return [cuts[:count], dict(zip(piece[1], cuts[count:]))]  # noqa: B905 - likewise


def _values(root: Root) -> List[Any]:
    return [*root[0], *root[1].values()]


def _renaming(uncut: Dict[Any, Any], cut: Dict[Any, Any]) -> Dict[Any, Any]:
    """An entry that is there for each lost one."""
    kept = list(cut)[::-1]
    lost = [key for key in uncut if type(key) in _NAMES and key not in cut]
    return {key: kept[at % len(kept)] for at, key in enumerate(lost[::-1])}


def _linked(value: Any, uncut: Collection[Any], cut: Collection[Any]) -> Any:
    """An entry without its links to lost ones, if it is made of nothing but links."""
    kind: Any = type(value)
    if kind not in (*_CONTAINERS, dict) or not all(type(item) in _NAMES and item in uncut for item in value):
        return value
    if kind is dict:
        return {key: held for key, held in value.items() if key in cut}
    return kind(item for item in value if item in cut)


def _renamed(value: Any, renamed: Dict[Any, Any], depth: int = 0) -> Any:
    """The value with other names; itself where nothing in it has another, or where it is deeper than pieces are."""
    kind: Any = type(value)
    if kind in _NAMES:
        return renamed.get(value, value)
    if depth > _DEEPEST:
        return value
    if kind in (*_CONTAINERS, tuple):
        items = [_renamed(item, renamed, depth + 1) for item in value]
        return value if all(map(operator.is_, items, value)) else kind(items)
    if kind is dict:
        held = {key: _renamed(item, renamed, depth + 1) for key, item in value.items()}
        return value if all(map(operator.is_, held.values(), value.values())) else held
    return value

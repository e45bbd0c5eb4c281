"""Tables with keys that name a way into a table: `a.b` beside an `a` that holds `b`, and `a` beside `a.b`.

Whoever flattens tables, or makes nested ones of flat ones, meets two keys for one place there.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import Any, Dict, Iterator, Sequence, Tuple

from .container_kinds import MAPPINGS, container_kind, plain_of

SEPARATORS = (".", "/", "_", "-", ":")
MOST_KEYS = 4  # of one table
MOST_SEPARATORS = 6
FALSE: Dict[type, Any] = {int: 0, float: 0.0, str: "", bool: False}

Table = Dict[Any, Any]


def with_ways(table: Table, separators: Sequence[str]) -> Iterator[Table]:
    """The table with a key more, behind the others and before them: a way into one of its tables, or the way to a key.

    Args:
        table: with any keys and values.
        separators: characters that may stand between the parts of a way; the usual ones are tried after them.
    """
    characters = list(dict.fromkeys([*separators, *SEPARATORS]))[:MOST_SEPARATORS]
    for key, held in islice(table.items(), MOST_KEYS):
        for way, value in chain(_ways_into(key, held, characters), _ways_to(key, held, characters)):
            if way not in table:
                yield {**table, way: value}
                yield {way: value, **table}


def _ways_into(key: Any, held: Any, separators: Sequence[str]) -> Iterator[Tuple[Any, Any]]:
    if container_kind(held) not in MAPPINGS:
        return
    for inner, value in islice(plain_of(held).items(), 1):
        if type(key) is str and type(inner) is str:
            yield from ((key + separator + inner, value) for separator in separators)
        elif type(key) is tuple:
            yield (*key, inner), value


def _ways_to(key: Any, held: Any, separators: Sequence[str]) -> Iterator[Tuple[Any, Any]]:
    """What a key begins with, if it has several parts, with the value and with a false one of its type."""
    shorter: Dict[Any, None] = {}
    if type(key) is tuple and len(key) > 1:
        shorter[key[:-1]] = None
    elif type(key) is str:
        shorter.update((key.rpartition(separator)[0], None) for separator in separators if separator in key[1:])
    for way in shorter:
        yield way, held
        yield way, {}  # what is there already may be a table itself
        if type(held) in FALSE:
            yield way, FALSE[type(held)]

"""Texts of what the tables of the code hold: one call shows whether another version treats a single key otherwise.

Tables of characters and words have hundreds of keys, too many for a call each. But one text of all of them is not
enough: what asks whether a text is plain ASCII goes another way for all keys if one of them is not.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, Dict, Iterable, Iterator, List, Tuple

from .container_kinds import MAPPINGS, SEQUENCES

MOST_KEYS = 2_000  # of one table
LONGEST_TEXT = 200  # characters
MOST_TEXTS = 12
_LAST_CHARACTER = 0x10FFFF
_Kind = Tuple[bool, bool, bool]  # whether it is one character, plain ASCII, and of letters and digits


def texts_of_tables(tables: Iterable[Any]) -> List[str]:
    """Texts of the keys and elements of those tables that the code names, alike ones in one text."""
    return list(islice((text for table in tables for text in _texts_of(table)), MOST_TEXTS))


def _texts_of(table: Any) -> Iterator[str]:
    if type(table) not in (*MAPPINGS, *SEQUENCES, set, frozenset):
        return
    groups: Dict[_Kind, List[str]] = {}
    keys = map(_as_text, islice(table, MOST_KEYS))
    for key in sorted(keys) if type(table) in (set, frozenset) else keys:  # a set has no order of its own
        if key:
            groups.setdefault((len(key) == 1, key.isascii(), key.isalnum()), []).append(key)
    for (is_character, *_), alike in sorted(groups.items(), key=lambda group: len(group[1])):
        yield from _joined("" if is_character else " ", alike)


def _as_text(key: Any) -> str:
    """A key as text; the tables of `str.translate` have the numbers of characters. Empty: it is neither."""
    if type(key) is int and 0 <= key <= _LAST_CHARACTER:
        return chr(key)
    return key if type(key) is str and len(key) <= LONGEST_TEXT else ""


def _joined(between: str, keys: List[str]) -> Iterator[str]:
    """The keys in a few texts."""
    part: List[str] = []
    length = 0
    for key in keys:
        if part and length + len(key) > LONGEST_TEXT:
            yield between.join(part)
            part, length = [], 0
        part.append(key)
        length += len(between) + len(key)
    yield between.join(part)

"""Values that hold others of their own kind (trees, lists within lists), nested further than Python recurses."""

from __future__ import annotations

import collections
from typing import Any, List, Optional, Tuple

from .call_parts import children, put
from .container_kinds import MAPPINGS, SEQUENCES, NotBuildableError, container_kind

NESTED = 1_020  # levels: more than Python's recursion limit
MOST_PARTS = 12  # of a value that is repeated on every level


def nested(value: Any) -> Optional[Any]:
    """The value within itself, again and again; None if it holds nothing of its own kind, or is large.

    What it holds at that place is in the middle, so that every level is like a real one.
    """
    found = _way_inwards(value)
    if found is None:
        return None
    keys, made = found
    try:
        for _ in range(NESTED):
            made = _put_in(value, keys, made)
    except (NotBuildableError, RecursionError):  # a constructor may look at all that it is given
        return None
    return made


def _put_in(value: Any, keys: List[Any], part: Any) -> Any:
    if len(keys) == 1:
        return put(value, keys[0], part)
    inner = next(held for key, _, held in children(value) if key == keys[0])
    return put(value, keys[0], put(inner, keys[1], part))


def _way_inwards(value: Any) -> Optional[Tuple[List[Any], Any]]:
    """The keys of a part that is like the value, directly or in a container of such parts, and the part."""
    held = _parts(value)
    alike = [(key, part) for key, part in held if type(part) is type(value)]
    is_record = container_kind(value) not in (*MAPPINGS, *SEQUENCES, collections.deque)
    # Lists of lists alone are tables; a list of both lists and other things is a tree.
    if alike and (is_record or len(alike) < len(held)):
        return [alike[0][0]], alike[0][1]
    for key, part in held:
        if container_kind(part) in (*MAPPINGS, *SEQUENCES) and type(part) is not type(value):
            inner = [(at, each) for at, each in _parts(part) if type(each) is type(value)]
            if inner and (is_record or _have_a_name_in_common(value, inner[0][1])):
                return [key, inner[0][0]], inner[0][1]
    return None


def _parts(value: Any) -> List[Tuple[Any, Any]]:
    """(key, part) of what it holds; none of what is large."""
    held = children(value)
    return [(key, part) for key, _, part in held] if len(held) <= MOST_PARTS else []


def _have_a_name_in_common(value: Any, other: Any) -> bool:
    return container_kind(value) in MAPPINGS and any(type(key) is str and key in other for key in value)

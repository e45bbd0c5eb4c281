"""Values that hold others of their own kind (trees, lists within lists), nested further than Python recurses."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from .call_parts import children, put
from .container_kinds import MAPPINGS, SEQUENCES, NotBuildableError, container_kind

CHAIN = 1_020  # links or levels: more than Python's recursion limit
MOST_PARTS = 12  # of a value that is repeated on every level


def nested(value: Any) -> Optional[Any]:
    """The value within itself, again and again; None if it holds nothing of its own kind, or is large.

    What it holds at that place is in the middle, so that every level is like a real one.
    """
    found = _way_inwards(value)
    if found is None:
        return None
    key, inner, inner_key, made = found
    try:
        for _ in range(CHAIN):
            made = put(value, key, made if inner is None else put(inner, inner_key, made))
    except (NotBuildableError, RecursionError):  # a constructor may look at all that it is given
        return None
    return made


def _way_inwards(value: Any) -> Optional[Tuple[Any, Any, Any, Any]]:
    """A part that is like the value: its key; or the key of a container of such parts, that, and the key in there."""
    held = _parts(value)
    alike = [(key, part) for key, part in held if type(part) is type(value)]
    is_record = container_kind(value) not in (*MAPPINGS, *SEQUENCES)
    # Lists of lists alone are tables; a list of both lists and other things is a tree.
    if alike and (is_record or len(alike) < len(held)):
        return alike[0][0], None, None, alike[0][1]
    for key, part in held:
        if container_kind(part) in (*MAPPINGS, *SEQUENCES) and type(part) is not type(value):
            inner = [(at, each) for at, each in _parts(part) if type(each) is type(value)]
            if inner and (is_record or _have_a_name_in_common(value, inner[0][1])):
                return (key, part, *inner[0])
    return None


def _parts(value: Any) -> List[Tuple[Any, Any]]:
    """(key, part) of what it holds; none of what is large."""
    held = children(value)
    return [(key, part) for key, _, part in held] if len(held) <= MOST_PARTS else []


def _have_a_name_in_common(value: Any, other: Any) -> bool:
    return container_kind(value) in MAPPINGS and any(type(key) is str and key in other for key in value)

"""Tells whether the copy of a call is the call: some classes make something else of an object that is copied.

`__setstate__` may drop what has run out, open a file anew, or begin to count at zero. What such a call does when it is
made again tells nothing of what it did, unless the two are the same.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from ....sandbox.driver import blob_pickler
from ....sandbox.driver.call_blobs import PROTOCOL, copied
from ....sandbox.driver.encoding_parts import Tree
from ....sandbox.driver.value_encoder import OUTCOME, Glance

MOST_CHARACTERS = 64 * 1024  # of what a call did, to be told


class _Outside(Glance):
    """For a value and its copy: functions without a name are their names in both."""

    looks_into_functions = False


def is_changed(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a class with code of its own for being copied makes something else of what a call is given."""
    call = (tuple(args), dict(kwargs))
    if not blob_pickler.runs_code(call, PROTOCOL):
        return False
    try:
        return bool(_Outside().encode(call) != _Outside().encode(copied(call)))
    except Exception:  # noqa: BLE001 - what cannot be told is not held against a call
        return False


def told(result: Any, args: Sequence[Any], kwargs: Mapping[str, Any], module: str) -> Optional[str]:
    """What a call returned and left in its arguments, as its outcome will have it; None: that cannot be told."""
    named = (Tree("named", name, kwargs[name]) for name in sorted(kwargs))
    tree = Tree(OUTCOME, Tree("returned", result), Tree("args", *args), Tree("kwargs", *named))
    try:
        text = Glance(module).encode(tree).decode("ascii")
    except Exception:  # noqa: BLE001 - likewise
        return None
    return text if len(text) <= MOST_CHARACTERS else None

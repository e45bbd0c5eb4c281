"""Tells whether the copy of a call is the call: some classes make something else of an object that is copied.

`__setstate__` may drop what has run out, open a file anew, or begin to count at zero. What such a call does when it is
made again tells nothing of what it did, unless the two are the same.
"""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Mapping, Optional, Sequence

from ....sandbox.driver.blob_pickler import runs_code
from ....sandbox.driver.call_blobs import PROTOCOL, copied
from ....sandbox.driver.encoding_parts import Tree
from ....sandbox.driver.value_encoder import OUTCOME, Glance

MOST_CHARACTERS = 64 * 1024  # of what a call did, to be told


class _Outside(Glance):
    """For a value and its copy: functions without a name are their names in both."""

    looks_into_functions = False


class ChangedCopy:
    """A call whose copy is something else; what it did, to be held against what its copy does."""

    def __init__(self, before: bytes, copy: str, module: str) -> None:
        """`before` and `copy` tell what the call was given, and what its copy is given."""
        self._before, self._copy, self._module = before, copy, module
        self._returned: Optional[str] = None
        self._has_changed: Optional[bool] = None  # what it was given

    def look(self, result: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Note what the call returned, and whether it changed what it was given."""
        self._returned = _text(Tree(OUTCOME, Tree("returned", result)), self._module)
        with contextlib.suppress(Exception):  # what cannot be told stays unknown
            self._has_changed = _Outside().encode((tuple(args), dict(kwargs))) != self._before

    def told(self) -> Dict[str, Any]:
        """For whoever makes the call again."""
        return {"returned": self._returned, "has_changed": self._has_changed, "copy": self._copy}


def changed_copy(args: Sequence[Any], kwargs: Mapping[str, Any], module: str) -> Optional[ChangedCopy]:
    """The call, if a class with code of its own for being copied makes something else of what it is given."""
    call = (tuple(args), dict(kwargs))
    if not runs_code(call, PROTOCOL):
        return None
    try:
        before, copy = _Outside().encode(call), copied(call)
        if before == _Outside().encode(copy):
            return None
    except Exception:  # noqa: BLE001 - what cannot be told is not held against a call
        return None
    named = (Tree("named", name, copy[1][name]) for name in sorted(copy[1]))
    told = _text(Tree(OUTCOME, Tree("args", *copy[0]), Tree("kwargs", *named)), module)
    return ChangedCopy(before, told or "", module)


def _text(tree: Tree, module: str) -> Optional[str]:
    """A tree as the start of an outcome; None if it is too large."""
    try:
        text = Glance(module).encode(tree).decode("ascii")
    except Exception:  # noqa: BLE001 - likewise
        return None
    return text if len(text) <= MOST_CHARACTERS else None

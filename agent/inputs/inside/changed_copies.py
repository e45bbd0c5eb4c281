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

_UNLIKE = ('["drained"', '["opaque"')  # what is told otherwise where a call is made again
MOST_CHARACTERS = 64 * 1024  # of what a call did, to be told


class _Outside(Glance):
    """For a value and its copy: functions without a name are their names in both."""

    looks_into_functions = False
    most_nodes = 200_000


class ChangedCopy:
    """A call whose copy may be something else; what it did, to be held against what its copy does."""

    def __init__(self, before: bytes, copy: str, module: str, *, is_same: bool) -> None:
        """`before` and `copy` tell what the call was given, and what its copy is; `is_same`: as far as one sees."""
        self._before, self._copy, self._module, self._is_same = before, copy, module, is_same
        self._returned: Optional[str] = None
        self._has_changed: Optional[bool] = None  # what it was given

    def look(self, result: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Note what the call returned, and whether it changed what it was given."""
        text = _text(Tree(OUTCOME, Tree("returned", result)), self._module)
        if text is not None and not any(tag in text for tag in _UNLIKE):
            self._returned = text
        with contextlib.suppress(Exception):  # what cannot be told stays unknown
            self._has_changed = _Outside().encode((tuple(args), dict(kwargs))) != self._before if self._before else None

    def told(self) -> Dict[str, Any]:
        """For whoever makes the call again."""
        return {
            "returned": self._returned,
            "has_changed": self._has_changed,
            "copy": self._copy,
            "is_same": self._is_same,
        }


def changed_copy(args: Sequence[Any], kwargs: Mapping[str, Any], module: str) -> Optional[ChangedCopy]:
    """The call, if a class has code of its own that may make something else of what it is given: now, or in a while."""
    call = (tuple(args), dict(kwargs))
    if not runs_code(call, PROTOCOL):
        return None
    try:
        before, copy = _Outside().encode(call), copied(call)
        is_same = before == _Outside().encode(copy)
    except Exception:  # noqa: BLE001 - then what it returns has to tell
        return ChangedCopy(b"", "", module, is_same=False)
    named = (Tree("named", name, copy[1][name]) for name in sorted(copy[1]))
    told = _text(Tree(OUTCOME, Tree("args", *copy[0]), Tree("kwargs", *named)), module)
    return ChangedCopy(before, told or "", module, is_same=is_same)


def _text(tree: Tree, module: str) -> Optional[str]:
    """A tree as the start of an outcome; None if it is too large."""
    try:
        text = Glance(module).encode(tree).decode("ascii")
    except Exception:  # noqa: BLE001 - likewise
        return None
    return text if len(text) <= MOST_CHARACTERS else None

"""Puts numbers that fit the type hints in the place of such as do not: 1 for 1.0, 1 for True.

A difference on `[1.0, 0]` where integers are hinted may be one on `[1, 0]` as well: then it is the order that shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, FrozenSet, Iterator

from .call_parts import Root, children, put_all
from .container_kinds import NotBuildableError

if TYPE_CHECKING:
    from .contract import Contract

_DEEPEST = 6
_OF_OTHER_TYPES = (frozenset({float}), frozenset({bool}), frozenset({float, bool}))


def fitted(root: Root, contract: Contract) -> Iterator[Root]:
    """The call with integers in the place of equal numbers of other types, as far as type hints then allow it."""
    args, kwargs = root
    for kinds in _OF_OTHER_TYPES:
        named = {name: _fitted(value, kinds, 0) for name, value in kwargs.items()}
        made = [[_fitted(value, kinds, 0) for value in args], named]
        if not contract.is_ruled_out(made):
            yield made


def _fitted(value: Any, kinds: FrozenSet[type], depth: int) -> Any:
    if type(value) is float and float in kinds and value.is_integer():
        return int(value)
    if type(value) is bool and bool in kinds:
        return int(value)
    parts = children(value) if depth <= _DEEPEST else []
    changed = {key: new for key, _, part in parts if (new := _fitted(part, kinds, depth + 1)) is not part}
    try:
        return put_all(value, changed) if changed else value
    except NotBuildableError:
        return value

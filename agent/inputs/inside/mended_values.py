"""Puts as much of one value into another as a condition allows.

Where two versions differ on a call that breaks an assumption, this may have another cause, which a real argument lacks
as well. So every part of the other argument that the assumption allows is put into the real one.
"""

from __future__ import annotations

import time
from typing import Any, Callable, Iterator, Tuple

from .call_parts import fields as fields_of
from .call_parts import like, put
from .container_kinds import (
    ATOMS,
    MAPPINGS,
    SEQUENCES,
    NotBuildableError,
    container_kind,
    is_named_tuple,
    plain_of,
)

MOST_TRIES = 300  # values that are held against the condition, for one argument
MENDING_S = 1.0  # for all calls of a job: a condition on a long list may take a while
_DEEPEST = 4

Holds = Callable[[Any], bool]


class Mender:
    """Mends arguments, with a bounded number of tries for each, and some time for all of them."""

    def __init__(self) -> None:
        self._left = MOST_TRIES
        self._until_s = time.monotonic() + MENDING_S

    def begin(self) -> bool:
        """Begin with another argument; False if the time is over."""
        self._left = MOST_TRIES
        return not self._is_over()

    def _is_over(self) -> bool:
        return self._left <= 0 or time.monotonic() > self._until_s

    def nearest(self, real: Any, made: Any, holds: Holds, depth: int = 0) -> Any:
        """The real value with as many parts of the made one as there may be.

        Args:
            real: it holds.
            made: a value of the same kind; of another, the real one stays as it is.
            holds: whether the call keeps to the assumption with this value in the argument's place.
            depth: how far inside of the argument this is.
        """
        kind = container_kind(made)
        if type(real) is not type(made) or kind in ATOMS or depth == _DEEPEST:
            return real
        nearest = self._as_long(real, made, holds) if _is_sequence(kind) else real
        for key, value in _parts(made):
            if self._is_over():
                break
            try:
                nearest = self._with_part(nearest, key, value, holds, depth)
            except (NotBuildableError, LookupError, TypeError):
                continue  # its class has no object with that
        return nearest

    def _as_long(self, real: Any, made: Any, holds: Holds) -> Any:
        """The real sequence, no longer than the made one if that may be."""
        items, most = list(plain_of(real)), len(plain_of(made))
        if len(items) <= most:
            return real
        try:
            cut = like(real, items[:most])
        except NotBuildableError:
            return real
        return cut if self._may_be(cut, holds) else real

    def _with_part(self, nearest: Any, key: Any, value: Any, holds: Holds, depth: int) -> Any:
        if _is_sequence(container_kind(nearest)) and key >= len(plain_of(nearest)):
            longer = like(nearest, [*plain_of(nearest), value])
            return longer if self._may_be(longer, holds) else nearest
        with_value = put(nearest, key, value)
        if self._may_be(with_value, holds):
            return with_value
        held = dict(_parts(nearest))
        if key not in held:
            return nearest
        inner = self.nearest(held[key], value, lambda part: holds(put(nearest, key, part)), depth + 1)
        return nearest if inner is held[key] else put(nearest, key, inner)

    def _may_be(self, value: Any, holds: Holds) -> bool:
        self._left -= 1
        return not self._is_over() and holds(value)


def _is_sequence(kind: type) -> bool:
    return kind in SEQUENCES and not is_named_tuple(kind)


def _parts(value: Any) -> Iterator[Tuple[Any, Any]]:
    kind, plain = container_kind(value), plain_of(value)
    if kind in MAPPINGS:
        return iter(plain.items())
    if kind in SEQUENCES or is_named_tuple(kind):
        return iter(enumerate(plain))
    return iter(fields_of(value).items())

"""Puts as much of one value into another as a condition allows.

Where two versions differ on a call that breaks an assumption, this may have another cause. The real argument in its
place lacks that cause, too; the real argument with all that the assumption allows of the other one in it does not.
"""

from __future__ import annotations

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

MOST_TRIES = 300  # values that are held against the condition, for one call
_DEEPEST = 4

Holds = Callable[[Any], bool]


class Mender:
    """Mends values for one call, with a bounded number of tries in all."""

    def __init__(self) -> None:
        self._left = MOST_TRIES

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
            if self._left <= 0:
                break
            try:
                nearest = self._with_part(nearest, key, value, holds, depth)
            except (NotBuildableError, LookupError, TypeError):
                continue  # its class has no object with that
        return nearest

    def _as_long(self, real: Any, made: Any, holds: Holds) -> Any:
        """The real sequence, no longer than the made one if that may be."""
        try:
            cut = like(real, list(plain_of(real))[: len(made)])
        except NotBuildableError:
            return real
        return cut if self._may_be(cut, holds) else real

    def _with_part(self, nearest: Any, key: Any, value: Any, holds: Holds, depth: int) -> Any:
        if _is_sequence(container_kind(nearest)) and key >= len(nearest):
            longer = like(nearest, [*plain_of(nearest), value])
            return longer if self._may_be(longer, holds) else nearest
        with_value = put(nearest, key, value)
        if self._may_be(with_value, holds):
            return with_value
        held = dict(_parts(nearest))
        if key not in held:
            return nearest
        inner = self.nearest(held[key], value, lambda part: holds(put(nearest, key, part)), depth + 1)
        return put(nearest, key, inner)

    def _may_be(self, value: Any, holds: Holds) -> bool:
        self._left -= 1
        return self._left >= 0 and holds(value)


def _is_sequence(kind: type) -> bool:
    return kind in SEQUENCES and not is_named_tuple(kind)


def _parts(value: Any) -> Iterator[Tuple[Any, Any]]:
    kind, plain = container_kind(value), plain_of(value)
    if kind in MAPPINGS:
        return iter(plain.items())
    if kind in SEQUENCES or is_named_tuple(kind):
        return iter(enumerate(plain))
    return iter(fields_of(value).items())

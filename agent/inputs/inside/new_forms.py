"""Tells whether a call gives arguments of a form that none before it gave: such a call is worth being recorded.

A limit of -1 may take the same lines as one of 7, and a rewrite that means `<= 0` by `not limit` differs on it alone.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence, Set, Tuple

MOST_FORMS = 16  # of one function: those of a few arguments soon are more than anybody can use
_SIZED = (str, bytes, list, tuple, dict, set, frozenset)


class NewForms:
    """Knows the forms of arguments that calls of one function have had."""

    def __init__(self) -> None:
        """No call was seen yet."""
        self._known: Set[Tuple[Any, ...]] = set()

    def is_new(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Whether no call before gave just these arguments in these kinds, and with these signs; never after many."""
        if len(self._known) >= MOST_FORMS:
            return False
        form = (tuple(map(_form_of, args)), tuple((name, _form_of(kwargs[name])) for name in sorted(kwargs)))
        if form in self._known:
            return False
        self._known.add(form)
        return True


def _form_of(value: Any) -> Tuple[Any, ...]:
    """The type, and of a number its sign, of a switch its state, of a text or container whether it is empty."""
    kind = type(value)
    if kind is int or kind is float:
        return kind, (value > 0) - (value < 0)
    if kind is bool:
        return kind, value
    return (kind, not value) if kind in _SIZED else (kind,)

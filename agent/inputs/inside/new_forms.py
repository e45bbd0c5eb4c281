"""Tells whether a call gives arguments of a form that none before it gave: such a call is worth being recorded.

A limit of -1 may take the same lines as one of 7, and a rewrite that means `<= 0` by `not limit` differs on it alone.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Set, Tuple

MOST_FORMS = 16  # of one function: those of a few arguments soon are more than anybody can use
_WITH_STATE = frozenset(map(id, (bool, str, bytes, list, tuple, dict, set, frozenset)))

Form = Tuple[Any, ...]


class NewForms:
    """Knows the forms of arguments that calls of one function have had."""

    def __init__(self) -> None:
        """No call was seen yet."""
        self._known: Set[Form] = set()

    def new_form(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Optional[Form]:
        """The form of these arguments, if no call that was recorded had it; None also where there are many already."""
        if len(self._known) >= MOST_FORMS:
            return None
        form = (tuple(map(_form_of, args)), tuple((name, _form_of(kwargs[name])) for name in sorted(kwargs)))
        return None if form in self._known else form

    def learn(self, form: Form) -> None:
        """A call of this form was recorded."""
        self._known.add(form)


def _form_of(value: Any) -> Tuple[int, int]:
    """The type, and of a number its sign, of a switch its state, of a text or container whether it is empty.

    Types are told by their identity: the class of a class may run code when it is compared.
    """
    kind = type(value)
    if kind is int or kind is float:
        return id(kind), (value > 0) - (value < 0)
    return id(kind), int(bool(value)) if id(kind) in _WITH_STATE else 0

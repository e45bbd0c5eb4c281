"""Looks at what a caller hands to a session, so that a slip is told where it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from types import UnionType

SHOWN = 60  # characters of a value


def expect(name: str, value: object, kind: type[Any] | UnionType, advice: str, *, optional: bool = False) -> None:
    """Refuse an argument of another type.

    Args:
        name: of the argument.
        value: what was given.
        kind: what it has to be.
        advice: what to give, for `Give …`.
        optional: whether None will do.

    Raises:
        UsageError: it is something else.
    """
    if not isinstance(value, kind) and not (optional and value is None):
        raise UsageError(f"{name}={shown(value)}: this is {_article(type(value).__name__)}. Give {advice}.")


def expect_function(name: str, value: object, form: str, *, optional: bool = True) -> None:
    """Refuse what cannot be called; None will do where the argument is optional.

    Raises:
        UsageError: it is no function.
    """
    if not callable(value) and not (optional and value is None):
        raise UsageError(f"{name}={shown(value)}: this cannot be called. Give a function, {form}.")


def shown(value: object) -> str:
    """A value as Python writes it, shortened."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _article(name: str) -> str:
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"

"""Exceptions as values: what they hold, and how one like another is made.

Beside its attributes an exception has `args`: what its constructor was given by position, unless that says otherwise.
Its text comes of them.
"""

from __future__ import annotations

import inspect
from itertools import takewhile
from typing import Any, Collection, List

from .container_kinds import HEAP_TYPE

_MAKING = frozenset(("__init__", "__new__"))


def holds_args_alone(builtin: type) -> bool:
    """Whether it is an exception of Python's own that has nothing but `args`: `ValueError`, and not `OSError`."""
    return issubclass(builtin, BaseException) and builtin.__basicsize__ == BaseException.__basicsize__


def takes_args_alone(kind: Any) -> bool:
    """Whether such an exception, or one of the user's that comes from it, is made of `args` as they are."""
    if not issubclass(kind, BaseException):
        return False
    users = [base for base in kind.__mro__ if base.__flags__ & HEAP_TYPE]
    builtin = [base for base in kind.__mro__ if base not in users and base is not object]
    return all(map(holds_args_alone, builtin)) and not any(_MAKING & vars(base).keys() for base in users)


def given_by_position(kind: type, given: Collection[str]) -> List[str]:
    """Those of these parameters that a constructor is best given by position: for an exception, all that can be."""
    if not issubclass(kind, BaseException) or takes_args_alone(kind):
        return []
    parameters = inspect.signature(kind).parameters.values()
    first = takewhile(lambda each: each.name in given and each.kind is each.POSITIONAL_OR_KEYWORD, parameters)
    return [each.name for each in first]

"""How constructors are called: what has to be given by position, and exceptions, which keep what is given that way.

Beside its attributes an exception has `args`: what its constructor was given by position, unless that says otherwise.
Its text comes of them.
"""

from __future__ import annotations

import inspect
from itertools import takewhile
from typing import Any, Collection, Dict, List

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
    """Those of these parameters that a constructor is best given by position.

    For an exception all that can be; else `*parts`, and what stands before it.
    """
    if takes_args_alone(kind):
        return []
    parameters = inspect.signature(kind).parameters.values()
    star = [each.name for each in parameters if each.kind is each.VAR_POSITIONAL and each.name in given]
    if not issubclass(kind, BaseException) and not star:
        return []
    first = takewhile(lambda each: each.name in given and each.kind is each.POSITIONAL_OR_KEYWORD, parameters)
    return [*(each.name for each in first), *star]


def take_positional(kind: type, given: Dict[str, Any]) -> List[Any]:
    """Take these out, as they are given: of `*parts` each by itself.

    Raises:
        TypeError: what is to be given as `*parts` has none, or something that stands before it is not given.
    """
    names = given_by_position(kind, given)
    parameters = inspect.signature(kind).parameters if names else {}
    taken: List[Any] = []
    for name in names:
        value = given.pop(name)
        if parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            before = takewhile(lambda each: each.kind is each.POSITIONAL_OR_KEYWORD, parameters.values())
            if any(each.name not in names for each in before):
                raise TypeError("what stands before `*%s` is not known" % name)
            taken += value
        else:
            taken.append(value)
    return taken

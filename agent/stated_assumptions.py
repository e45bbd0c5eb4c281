"""What the text of an assumption says of a parameter beside being true or false of a call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_PLAIN = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Load)
AS_CALLED = "as_called"  # it is true of every call (`inputs/inside/assumptions.py`)


def stated_as_called(assume: Iterable[str]) -> set[str]:
    """The parameters of which `as_called(x)` states that the real calls show all that matters about them."""
    found = set()
    for text in assume:
        match ast.parse(text, mode="eval").body:
            case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=name)], keywords=[]) if function == AS_CALLED:
                found.add(name)
    return found


def stated_values(assume: Iterable[str]) -> set[str]:
    """The parameters of which `x == 1`, `x is None` or `x in ("a", "b")` states the values: there may be no others."""
    found = set()
    for text in assume:
        match ast.parse(text, mode="eval").body:
            case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq() | ast.Is() | ast.In()], comparators=[values]):
                if all(isinstance(each, _PLAIN) for each in ast.walk(values)):
                    found.add(name)
    return found


def stated_empty(assume: Iterable[str]) -> set[str]:
    """The parameters of which `not x` states that no call gives them anything."""
    found = set()
    for text in assume:
        match ast.parse(text, mode="eval").body:
            case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)):
                found.add(name)
    return found

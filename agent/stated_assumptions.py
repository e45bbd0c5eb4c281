"""What the text of an assumption says of a parameter beside being true or false of a call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_PLAIN = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Load)
AS_CALLED = "as_called"  # it is true of every call (`inputs/inside/assumptions.py`)


def stated_as_called(assume: Iterable[str]) -> set[str]:
    """The parameters of which `as_called(x)` states that the real calls show all that matters about them."""
    return _named(assume, _as_called)


def stated_values(assume: Iterable[str]) -> set[str]:
    """The parameters of which `x == 1`, `x is None` or `x in ("a", "b")` states the values: there may be no others."""
    return _named(assume, _with_values)


def stated_empty(assume: Iterable[str]) -> set[str]:
    """The parameters of which `not x` states that no call gives them anything."""
    return _named(assume, _negated)


def _named(assume: Iterable[str], name_in: Callable[[ast.expr], str]) -> set[str]:
    return {name for text in assume if (name := name_in(ast.parse(text, mode="eval").body))}


def _as_called(stated: ast.expr) -> str:
    match stated:
        case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=name)], keywords=[]) if function == AS_CALLED:
            return name
    return ""


def _with_values(stated: ast.expr) -> str:
    match stated:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq() | ast.Is() | ast.In()], comparators=[values]):
            return name if all(isinstance(each, _PLAIN) for each in ast.walk(values)) else ""
    return ""


def _negated(stated: ast.expr) -> str:
    match stated:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)):
            return name
    return ""

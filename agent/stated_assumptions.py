"""What the text of an assumption says of a parameter beside being true or false of a call, and how it is advised."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_PLAIN = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Load)
AS_CALLED = "as_called"  # it is true of every call (`inputs/inside/assumptions.py`)
_ADVISED = 'state it with --assume "'
_NEXT = '" --assume "'
_END = re.compile(r'"(?! --assume ")(?=[.;)]*(?:\s|$))')  # an expression may hold quotation marks, too


def advice_to_state(expressions: Iterable[str]) -> str:
    """How a run is told that these hold of every call: `state it with --assume "a > 0" --assume "b > 0"`."""
    return f'{_ADVISED}{_NEXT.join(expressions)}"'


def with_other_advice(text: str, advised: Callable[[Sequence[str]], str]) -> str:
    """A text with another way to state what it advises to state with options.

    Args:
        text: with what `advice_to_state` gives, at any places.
        advised: gives the other way for the expressions.
    """
    before, found, rest = text.partition(_ADVISED)
    if not found:
        return text
    for end in _END.finditer(rest):
        expressions = rest[: end.start()].split(_NEXT)
        if all(map(_is_expression, expressions)):
            return f"{before}{advised(expressions)}{with_other_advice(rest[end.end() :], advised)}"
    return f"{before}{found}{with_other_advice(rest, advised)}"


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


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

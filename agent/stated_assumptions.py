"""What the text of an assumption says of a parameter beside being true or false of a call, and how it is advised."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from afterburner.agent.option_kinds import LONGEST_STATED, MOST_STATED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_PLAIN = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Load)
AS_CALLED = "as_called"  # it is true of every call (`inputs/inside/assumptions.py`)
ASSUMED = '--assume "'  # and an expression, and a quotation mark
_ADVISED = f"state it with {ASSUMED}"
_NEXT = f'" {ASSUMED}'
_ROOM = 50  # characters after an expression that tell whether it ends there
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
    told, at = [], 0
    while (found := text.find(_ADVISED, at)) >= 0:
        start = found + len(_ADVISED)
        expressions, end = _advised_from(text, start)
        told += [text[at:found], advised(expressions)] if expressions else [text[at:start]]
        at = end
    return "".join((*told, text[at:]))


def _advised_from(text: str, start: int) -> tuple[list[str], int]:
    """The expressions of an advice that begins there, and where it ends; none, and `start`: they are no expressions.

    No more is looked at than options take: `MOST_STATED` expressions, each of `LONGEST_STATED` characters.
    """
    expressions: list[str] = []
    at = start
    while len(expressions) < MOST_STATED:
        one, is_followed, _ = text[at : at + LONGEST_STATED + _ROOM].partition(_NEXT)
        for end in _END.finditer(text, at, min(at + len(one) + _ROOM, len(text))):
            if end.start() <= at + min(len(one), LONGEST_STATED) and _is_expression(text[at : end.start()]):
                return [*expressions, text[at : end.start()]], end.end()
        if not is_followed or not _is_expression(one):
            break
        expressions.append(one)
        at += len(one) + len(_NEXT)
    return [], start


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

"""Reads and evaluates the expressions of GitHub Actions, `${{ … }}`, and the conditions of `if`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from action_values import FUNCTIONS, ExpressionError, all_of, are_equal, is_less, looked_up, text_of, truth_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Value = Callable[[], Any]

_TOKEN = re.compile(
    r"\s*(?:(?P<string>'(?:[^']|'')*')"
    r"|(?P<number>[-+]?(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+))"
    r"|(?P<name>[A-Za-z_][\w-]*)"
    r"|(?P<sign>==|!=|<=|>=|&&|\|\||[<>!()\[\],.*]))"
)
_CLOSED = re.compile(r"(?:'(?:[^']|'')*'|(?!\}\})[^'])*\}\}")
_STATUS = frozenset({"always", "success", "failure", "cancelled"})
_LITERALS = {"true": True, "false": False, "null": None, "nan": math.nan, "infinity": math.inf}
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": are_equal,
    "!=": lambda left, right: not are_equal(left, right),
    "<": is_less,
    ">": lambda left, right: is_less(right, left),
    "<=": lambda left, right: is_less(left, right) or are_equal(left, right),
    ">=": lambda left, right: is_less(right, left) or are_equal(left, right),
}


@dataclass(frozen=True)
class Scope:
    """What an expression may name: contexts as `github`, and functions beside those that are always there."""

    contexts: Mapping[str, Any]
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


def interpolate(text: str, scope: Scope) -> str:
    """Put the values of all expressions into a text.

    Raises:
        ExpressionError: GitHub would refuse one of them.
    """
    parts = _split(text)
    return "".join(text_of(_evaluate(part, scope)) if index % 2 else part for index, part in enumerate(parts))


def value_of(given: Any, scope: Scope) -> Any:
    """Give the value of a setting: what the expression that fills it gives, with its type, else its text filled in."""
    if not isinstance(given, str):
        return given
    alone = _alone(_split(given))
    return interpolate(given, scope) if alone is None else _evaluate(alone, scope)


def holds(condition: Any, scope: Scope) -> bool:
    """Say whether the condition of an `if` is met; unless it asks for a status itself, `success()` is part of it.

    Raises:
        ExpressionError: Only a part of it is an expression, so GitHub sees a text, which is always true.
    """
    text = text_of(condition)
    parts = _split(text)
    if len(parts) > 1:
        alone = _alone(parts)
        if alone is None:
            raise ExpressionError(f"GitHub takes an `if` that is only in part an expression for true: {text}")
        text = alone
    parser = _Parser(text, scope)
    value = parser.parse()
    if not parser.called & _STATUS and not scope.functions["success"]():
        return False
    return truth_of(value())


def _split(text: str) -> list[str]:
    """Split a text into plain parts and, at the odd places, expressions; a string of one may hold `}}`."""
    parts, rest = [], text
    while (start := rest.find("${{")) >= 0:
        end = _CLOSED.match(rest, start + 3)
        if end is None:
            raise ExpressionError(f"The expression is not closed: {rest[start:]}")
        parts += [rest[:start], end[0][:-2]]
        rest = rest[end.end() :]
    return [*parts, rest]


def _alone(parts: list[str]) -> str | None:
    """Give the expression that is all of a text."""
    return parts[1] if len(parts) == 3 and not parts[0].strip() and not parts[2].strip() else None


def _evaluate(text: str, scope: Scope) -> Any:
    return _Parser(text, scope).parse()()


class _Parser:
    """Reads an expression into a function that gives its value. All names are checked before anything is evaluated."""

    def __init__(self, text: str, scope: Scope) -> None:
        self._text = text.strip()
        self._scope = scope
        self._tokens = self._read_tokens()
        self._place = 0
        self.called: set[str] = set()

    def parse(self) -> Value:
        value = self._either()
        if self._place < len(self._tokens):
            raise self._error(f"Unexpected symbol: '{self._peek()[1]}'")
        return value

    def _read_tokens(self) -> list[tuple[str, str]]:
        tokens, place = [], 0
        while place < len(self._text):
            found = _TOKEN.match(self._text, place)
            if found is None:
                raise self._error(f"Unexpected symbol: '{self._text[place:]}'")
            tokens.append((found.lastgroup or "", found[found.lastgroup or 0]))
            place = found.end()
        return tokens

    def _either(self) -> Value:
        value = self._both()
        while self._take("||"):
            value = _or(value, self._both())
        return value

    def _both(self) -> Value:
        value = self._compared()
        while self._take("&&"):
            value = _and(value, self._compared())
        return value

    def _compared(self) -> Value:
        value = self._negated()
        while (sign := self._peek()[1]) in _COMPARISONS and self._take(sign):
            value = _compare(_COMPARISONS[sign], value, self._negated())
        return value

    def _negated(self) -> Value:
        if self._take("!"):
            value = self._negated()
            return lambda: not truth_of(value())
        return self._reached()

    def _reached(self) -> Value:
        value = self._primary()
        while True:
            if self._take("."):
                kind, name = self._next()
                if name == "*":
                    value = _all(value)
                elif kind == "name":
                    value = _index(value, partial(str, name))
                else:
                    raise self._error(f"Unexpected symbol: '{name}'")
            elif self._take("["):
                value = _all(value) if self._take("*") else _index(value, self._either())
                self._expect("]")
            else:
                return value

    def _primary(self) -> Value:
        kind, text = self._next()
        if kind == "string":
            return lambda: text[1:-1].replace("''", "'")
        if kind == "number":
            number = float(int(text, 16)) if "0x" in text else float(text)
            return lambda: number
        if kind == "name":
            return self._named(text)
        if text != "(":
            raise self._error(f"Unexpected symbol: '{text}'")
        value = self._either()
        self._expect(")")
        return value

    def _named(self, name: str) -> Value:
        if self._take("("):
            return self._call(name)
        if name.casefold() in _LITERALS:
            return lambda: _LITERALS[name.casefold()]
        if name.casefold() not in self._scope.contexts:
            raise self._error(f"Unrecognized named-value: '{name}'; here there are {', '.join(self._scope.contexts)}")
        return lambda: self._scope.contexts[name.casefold()]

    def _call(self, name: str) -> Value:
        arguments: list[Value] = []
        while not self._take(")"):
            if arguments:
                self._expect(",")
            arguments.append(self._either())
        known = FUNCTIONS.get(name.casefold()) or self._scope.functions.get(name.casefold())
        if known is None:
            raise self._error(f"Unrecognized function: '{name}'")
        self.called.add(name.casefold())
        return lambda: known(*(argument() for argument in arguments))

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._place] if self._place < len(self._tokens) else ("end", "")

    def _next(self) -> tuple[str, str]:
        token = self._peek()
        if token[0] == "end":
            raise self._error("Unexpected end of expression")
        self._place += 1
        return token

    def _take(self, sign: str) -> bool:
        found = self._peek() == ("sign", sign)
        self._place += found
        return found

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._error(f"Expected '{sign}', found '{self._peek()[1]}'")

    def _error(self, message: str) -> ExpressionError:
        return ExpressionError(f"{message}, in the expression: {self._text}")


def _or(left: Value, right: Value) -> Value:
    def value() -> Any:
        found = left()
        return found if truth_of(found) else right()

    return value


def _and(left: Value, right: Value) -> Value:
    def value() -> Any:
        found = left()
        return right() if truth_of(found) else found

    return value


def _compare(comparison: Callable[[Any, Any], bool], left: Value, right: Value) -> Value:
    return lambda: comparison(left(), right())


def _index(value: Value, key: Value) -> Value:
    return lambda: looked_up(value(), key())


def _all(value: Value) -> Value:
    return lambda: all_of(value())

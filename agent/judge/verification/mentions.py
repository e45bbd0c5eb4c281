"""What one version of a file mentions and another does not, and inputs are made of: literals, names, patterns."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.code.literals import new_literals
from afterburner.agent.inputs.inside.special_characters import NAMES_WITH_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_PATTERNS = 6
_IGNORING_CASE = frozenset({"I", "IGNORECASE"})
_TAKE_PATTERNS = frozenset(
    {"compile", "findall", "finditer", "fullmatch", "match", "search", "split", "splititer", "sub", "subn"}
)


@dataclass(frozen=True, slots=True)
class Mentions:
    """What is new in a rewrite.

    Attributes:
        literals: numbers and texts, see `new_literals`.
        names: of functions and methods that treat some characters in ways of their own, such as `isdigit`.
        patterns: texts that are given to functions of `re`; with `(?i)` if the call ignores case.
    """

    literals: tuple[float | str, ...] = ()
    names: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.literals or self.names or self.patterns)


def new_mentions(original: str, other: str) -> Mentions:
    """What the other text alone mentions, in its order; nothing for text that cannot be parsed."""
    try:
        old, new = ast.parse(original), ast.parse(other)
        return Mentions(
            tuple(new_literals(original, other)),
            _only_in_the_second(_names(old), _names(new)),
            _only_in_the_second(_patterns(old), _patterns(new))[:MOST_PATTERNS],
        )
    except (SyntaxError, ValueError, RecursionError):
        return Mentions()


def _only_in_the_second(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    known = set(first)
    return tuple(each for each in dict.fromkeys(second) if each not in known)


def _names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) if name in NAMES_WITH_CHARACTERS:
                yield name


def _patterns(tree: ast.AST) -> Iterator[str]:
    """Of calls by way of the module, and of functions that are imported by their names."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re" | "regex"), attr=name) | ast.Name(id=name)):
                first = node.args[0] if node.args and name in _TAKE_PATTERNS else None
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    yield f"(?i){first.value}" if _ignores_case(node) else first.value


def _ignores_case(call: ast.Call) -> bool:
    flags = (each for part in (*call.args, *call.keywords) for each in ast.walk(part))
    return any(isinstance(each, ast.Attribute) and each.attr in _IGNORING_CASE for each in flags)

"""Numbers and texts that one version of a file mentions and another does not."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LITERALS = 40
_LONGEST_TEXT = 40
_LARGEST = 2**63


def new_literals(original: str, other: str) -> list[int | float | str]:
    """Those of the other text alone, in its order; nothing for text that cannot be parsed."""
    try:
        known, found = set(_literals(original)), dict.fromkeys(_literals(other))
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [value for _, value in [each for each in found if each not in known][:MOST_LITERALS]]


def _literals(source: str) -> Iterator[tuple[str, int | float | str]]:
    """With the names of their types: 1 and 1.0 are two."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=bool()):
                continue
            case ast.Constant(value=int(value) | float(value)) if abs(value) < _LARGEST:
                yield type(value).__name__, value
            case ast.Constant(value=str(value)) if len(value) <= _LONGEST_TEXT:
                yield "str", value

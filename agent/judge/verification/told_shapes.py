"""What a provider of models may read of a counterexample: the shape of the calls and of the outcome, and few values.

Inputs are made of constants of the project, too, and a call may depend on what its module holds. So a text or a number
is shown only if it stands in a call that the project itself makes, or is one that anybody would try: `''`, `'a'`, 0. In
the place of any other stands its kind, with a number where it occurs more than once.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# How origins begin of calls that somebody wrote down (`inputs/call_sources.py`).
_OF_THE_PROJECT = ("captured from ", "doctest", "pytest", "--calls ")
_PIECE = re.compile(
    r"""(?P<text>b?'(?:[^'\\]|\\.)*(?:'|\\?\Z)|b?"(?:[^"\\]|\\.)*(?:"|\\?\Z))"""
    r"|(?P<size>\(\d+ (?:characters|bytes)\)|\N{HORIZONTAL ELLIPSIS} \d+ more)"
    r"|(?P<number>(?<![\w.])-?\.?\d[\w.]*(?:(?<=[eE])[+-]\d+j?)?)"
    r"|(?P<other>[\w.]+|.)",
    re.DOTALL,
)
_ASSIGNED = re.compile(r"([A-Za-z_]\w*) = ")
_OWN_NAMES = frozenset("abcdefgh")  # of objects that stand in several places of a call (`inside/call_literals.py`)
_LARGEST = 9
_PLAIN_FLOATS = frozenset({0.5, 1e16, 1e308})
_PLAIN_TEXTS = frozenset({"nan", "inf", "-inf", "\r\n"})
_PLAIN_LETTERS = frozenset("ab ")
_LONGEST_PLAIN = 12


@dataclass(frozen=True, slots=True)
class _Piece:
    """A literal of a text, or what stands between literals."""

    kind: str
    text: str


@dataclass(slots=True)
class _Teller:
    """Writes texts of one counterexample, in which equal values have equal names."""

    shown: frozenset[str]  # literals that are shown as they are
    occurrences: Counter[str]
    _numbers: dict[str, int] = field(default_factory=dict)

    def written(self, pieces: Iterable[_Piece]) -> str:
        return "".join(self._piece(piece) for piece in pieces)

    def _piece(self, piece: _Piece) -> str:
        if piece.kind not in {"text", "number"} or piece.text in self.shown or _is_plain(piece):
            return piece.text
        what = _kind_of_text(piece.text) if piece.kind == "text" else _kind_of_number(piece.text)
        if self.occurrences[piece.text] < 2:
            return f"<{what}>"
        if piece.text in self._numbers:
            return f"<no. {self._numbers[piece.text]}>"
        self._numbers[piece.text] = len(self._numbers) + 1
        return f"<{what}, no. {self._numbers[piece.text]}>"


def told_shapes(calls: Sequence[str], outcome: str, origin: str) -> tuple[list[str], str]:
    """Give the calls and the outcome in words that may leave the machine.

    Args:
        calls: as Python would write them, with the assignments before them.
        outcome: what the original did: "returned [1, 2]".
        origin: how the input came about.
    """
    made = [_without_state(_pieces(call)) for call in calls]
    told = _pieces(outcome)
    literals = [piece.text for pieces in (*made, told) for piece in pieces if piece.kind in {"text", "number"}]
    is_real = origin.startswith(_OF_THE_PROJECT)
    shown = frozenset(piece.text for pieces in made for piece in pieces) if is_real else frozenset[str]()
    teller = _Teller(shown, Counter(literals))
    return [teller.written(pieces) for pieces in made], teller.written(told)


def _pieces(text: str) -> list[_Piece]:
    return [_Piece(found.lastgroup or "", found[0]) for found in _PIECE.finditer(text)]


def _without_state(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Leave the assignments to names of the module out, and say that there are some."""
    statements: list[list[_Piece]] = [[]]
    for piece in pieces:
        if piece == _Piece("other", ";"):
            statements.append([])
        else:
            statements[-1].append(piece)
    *before, call = [_stripped(statement) for statement in statements]
    kept = [statement for statement in before if not _is_state(statement)]
    told = [_Piece("other", "with what the module held then: ")] if len(kept) < len(before) else []
    return [*told, *(piece for statement in kept for piece in (*statement, _Piece("other", "; "))), *call]


def _stripped(statement: list[_Piece]) -> list[_Piece]:
    return statement[1:] if statement[:1] == [_Piece("other", " ")] else statement


def _is_state(statement: Sequence[_Piece]) -> bool:
    assigned = _ASSIGNED.match("".join(piece.text for piece in statement))
    return assigned is None or assigned[1] not in _OWN_NAMES


def _is_plain(piece: _Piece) -> bool:
    """Whether it is a value that anybody would try."""
    value = _value(piece.text)
    match value:
        case str() | bytes():
            text = value.decode("latin-1") if isinstance(value, bytes) else value
            is_of_letters = len(text) <= _LONGEST_PLAIN and _PLAIN_LETTERS.issuperset(text)
            return len(text) <= 1 or is_of_letters or text in _PLAIN_TEXTS
        case int():
            return abs(value) <= _LARGEST
        case float():
            return abs(value) in _PLAIN_FLOATS or (value.is_integer() and abs(value) <= _LARGEST)
    return False


def _kind_of_text(literal: str) -> str:
    kind, unit = ("bytes", "bytes") if literal.startswith("b") else ("str", "characters")
    value = _value(literal)
    if not isinstance(value, str | bytes) or "\N{HORIZONTAL ELLIPSIS}" in literal:
        return f"{kind}, shown in part"
    return f"{kind} of {len(value)} {unit}"


def _kind_of_number(literal: str) -> str:
    sign = "negative " if literal.startswith("-") else ""
    value = _value(literal)
    if isinstance(value, int):
        return f"{sign}int of {len(re.sub(r'[^0-9]', '', literal))} digits"
    return f"{sign}{type(value).__name__ if isinstance(value, float | complex) else 'number'}"


def _value(literal: str) -> object:
    """The value of a literal; None for one that was cut off."""
    try:
        return ast.literal_eval(literal)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None

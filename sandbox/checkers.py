"""How an output is judged: what the kinds of checkers are, and the comparison that each of them makes.

A checker is a small value that says what counts as a right answer. `comparison` makes of it the object that looks at
one output, chunk by chunk as it is printed.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import partial
from typing import TYPE_CHECKING

from afterburner.sandbox.comparing import Comparison, ExactComparison, Expected
from afterburner.sandbox.comparing_custom import CustomComparison
from afterburner.sandbox.comparing_lines import LineComparison
from afterburner.sandbox.comparing_tokens import TokenComparison
from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.types import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.sandbox.types import Program

_CHECKER_LIMITS = Limits()
_LONGEST = 1000  # characters of a number
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,5})?|[+-]?(?:inf|infinity|nan)", re.IGNORECASE)
_INTEGER = re.compile(rb"[+-]?\d+")
_EXACT_INTEGERS = 2**53  # from here on, not every integer is a double


@dataclass(frozen=True, slots=True)
class Exact:
    """Byte for byte the expected output."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The expected lines. Whitespace at the ends of lines and empty lines at the very end do not count."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The expected tokens, whatever whitespace stands between them."""


@dataclass(frozen=True, slots=True)
class Floats:
    """The expected tokens, of which the numbers need only be close: within either of the two tolerances.

    Numbers are decimal, with or without an exponent, or `inf`, `infinity` and `nan` in any case; `nan` is close to
    `nan` alone, an infinity to the one of its sign. An expected integer of 2**53 and more has to be met exactly, for a
    double cannot tell it from its neighbours.

    Raises:
        UsageError: a tolerance that is negative or not finite.
    """

    relative: float = 1e-6  # of the expected number
    absolute: float = 1e-6

    def __post_init__(self) -> None:
        if not all(math.isfinite(tolerance) and tolerance >= 0 for tolerance in (self.relative, self.absolute)):
            raise UsageError(f"Tolerances have to be finite and not negative: {self.relative:g}, {self.absolute:g}.")

    def is_close(self, expected: bytes, printed: bytes) -> bool:
        """Whether both tokens are numbers, and close to each other."""
        if not is_number(expected) or not is_number(printed):
            return False
        wanted, got = float(expected), float(printed)
        if math.isnan(wanted) or math.isnan(got):
            return math.isnan(wanted) and math.isnan(got)
        if abs(wanted) >= _EXACT_INTEGERS and _INTEGER.fullmatch(expected):
            return _is_spelled_finite(printed) and Decimal(expected.decode()) == Decimal(printed.decode())
        if math.isinf(wanted) or math.isinf(got):
            return self._is_close_beyond_doubles(expected, printed)
        difference = abs(wanted - got)
        return difference <= self.absolute or difference <= self.relative * abs(wanted)

    def _is_close_beyond_doubles(self, expected: bytes, printed: bytes) -> bool:
        if not (_is_spelled_finite(expected) and _is_spelled_finite(printed)):
            return float(expected) == float(printed) and _is_spelled_finite(expected) == _is_spelled_finite(printed)
        wanted, got = Decimal(expected.decode()), Decimal(printed.decode())
        with localcontext(prec=50):
            return abs(wanted - got) <= max(Decimal(self.absolute), Decimal(self.relative) * abs(wanted))


@dataclass(frozen=True, slots=True)
class Custom:
    """What a checker program accepts: `checker INPUT OUTPUT ANSWER`, exit code 0 for right, 1 or 2 for wrong.

    Its arguments are paths of files that it can read. It runs in a container of its own; if it ends in any other way,
    nothing is said of the program that it was to judge: that is a `CheckerError`.

    Attributes:
        program: the checker.
        limits: of each of its runs.
        accepts_equal: an output that is byte for byte the expected one is right, and the checker is not run. That
            saves a container for most cases of a right program.
    """

    program: Program
    limits: Limits = _CHECKER_LIMITS
    accepts_equal: bool = False


Checker = Exact | Lines | Tokens | Floats | Custom


def comparison(
    checker: Checker, expected: bytes | Path, check: Callable[[Custom, bytes, bytes], str | None] | None = None
) -> Comparison:
    """What compares one output with the expected one.

    Args:
        checker: what counts as equal.
        expected: in memory, or in a file that is read in pieces.
        check: has a checker program look at an output and the expected one, and says what is wrong, if anything is.

    Raises:
        UsageError: there is no such file, or nothing here runs checker programs.
    """
    reference = Expected(expected)
    match checker:
        case Exact():
            return ExactComparison(reference)
        case Lines():
            return LineComparison(reference)
        case Tokens():
            return TokenComparison(reference)
        case Floats():
            return TokenComparison(reference, checker.is_close)
        case Custom():
            if check is None:
                raise UsageError("A checker program needs a sandbox to run in.")
            return CustomComparison(reference, partial(check, checker), accepts_equal=checker.accepts_equal)


def is_number(token: bytes) -> bool:
    """Whether a token is a number in the sense of `Floats`."""
    return len(token) <= _LONGEST and _NUMBER.fullmatch(token) is not None


def _is_spelled_finite(number: bytes) -> bool:
    return number[-1:].isdigit() or number[-1:] == b"."

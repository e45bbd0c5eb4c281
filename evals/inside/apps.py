"""The rules of APPS for a right answer, step by step as lenient as they are.

An output is right if it equals the expected one, or its lines do, or all of its lines are numbers close to the
expected ones; or if it has the same lines where each is a set of tokens, and all lines are a set of those: so order and
repetitions do not matter. Numbers then count as rounded to three places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .checking import judge

if TYPE_CHECKING:
    from collections.abc import Iterable

_RELATIVE, _ABSOLUTE = 1e-5, 1e-8
_PLACES = 3


def check_lines() -> None:
    """Judge what was printed."""
    judge(lambda: _wrong_output, texts=True)


def check_calls() -> None:
    """Judge what calls returned."""
    judge(lambda: _wrong_call)


def _wrong_output(_given: str, output: str, answer: str) -> object:
    return None if accepts(output, answer) else "the output differs even if blanks and the form of numbers are ignored"


def accepts(output: str, answer: str) -> bool:
    """Whether an output is right."""
    printed = output.splitlines()
    for text in ("\n".join(printed), "\n".join(line.strip() for line in printed)):
        if text.strip() == answer.strip():
            return True
    wanted = [line.strip() for line in answer.split("\n") if line]
    filled = [line for line in printed if line]
    return wanted in (printed, filled) or _are_close(filled, wanted) or _are_same_sets(filled, wanted)


def _are_close(printed: list[str], wanted: list[str]) -> bool:
    """Whether each line is one number, and all are close; infinities are close to themselves, and nothing is to NaN."""
    try:
        pairs = list(zip(map(float, printed), map(float, wanted)))
    except ValueError:
        return False
    return len(printed) == len(wanted) and all(
        one == other or abs(one - other) <= _ABSOLUTE + _RELATIVE * abs(other) for one, other in pairs
    )


def _are_same_sets(printed: list[str], wanted: list[str]) -> bool:
    tokens = [line.split() for line in printed if line.split()]
    others = [line.split() for line in wanted]
    if _sets(tokens) == _sets(others):
        return True
    try:
        return _sets(map(_rounded, tokens)) == _sets(map(_rounded, others))
    except (ValueError, OverflowError):
        return False


def _sets(lines: Iterable[Iterable[object]]) -> set[frozenset[object]]:
    return set(map(frozenset, lines))


def _rounded(tokens: list[str]) -> list[float]:
    return [round(float(token), _PLACES) for token in tokens]


def _wrong_call(_given: object, output: list[object], answer: list[object]) -> object:
    for number, (returned, wanted) in enumerate(zip(output, answer), start=1):
        if not accepts_value(returned, wanted):
            return "test " + str(number) + " returned " + repr(returned)[:80] + ", and not " + repr(wanted)[:80]
    return None if len(output) == len(answer) else "the output has another number of tests"


def accepts_value(returned: object, wanted: object) -> bool:
    """Whether a call returned what is stored, or the first element of it; tuples in a list then count as lists."""
    if returned == wanted:
        return True
    if not isinstance(wanted, list) or not wanted:
        return False
    if returned == wanted[0]:
        return True
    if not isinstance(returned, list) or not returned or not isinstance(returned[0], tuple):
        return False
    return all(isinstance(each, (list, tuple)) for each in returned) and [list(each) for each in returned] == wanted[0]

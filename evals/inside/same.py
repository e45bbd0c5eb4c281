"""Whether two values are the same, by our own strict rule, and by the rule of results that went through JSON."""

from __future__ import annotations

import math
from typing import Any

from .checking import judge

_CLOSE = 1e-9  # relative: the order in which floats are added up is a solution's own
_JSON_RELATIVE, _JSON_ABSOLUTE = 1e-5, 1e-8  # as NumPy's `allclose`


def strict() -> None:
    """Check that an output is the answer, down to the types of what is in it."""
    judge(lambda: lambda _given, output, answer: None if is_same(output, answer) else difference(output, answer))


def as_json() -> None:
    """Check that an output is the answer for what JSON knows: tuples are lists, and keys are texts."""
    judge(lambda: lambda _given, output, answer: None if is_alike(output, answer) else difference(output, answer))


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are equal and of equal types all the way down; floats may differ in the last digits."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return math.isclose(one, other, rel_tol=_CLOSE) or (math.isnan(one) and math.isnan(other))
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict):
        keys = {(type(key), key) for key in one}
        same_keys = keys == {(type(key), key) for key in other}
        return same_keys and all(is_same(each, other[key]) for key, each in one.items())
    if isinstance(one, (set, frozenset)):
        return {(type(each), each) for each in one} == {(type(each), each) for each in other}
    return bool(one == other)


def is_alike(one: Any, other: Any) -> bool:
    """Whether two values are equal once both went through JSON; numbers may differ a little where one is a float."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(is_alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        left, right = ({_key(key): each for key, each in table.items()} for table in (one, other))
        return left.keys() == right.keys() and all(is_alike(each, right[key]) for key, each in left.items())
    if isinstance(one, float) or isinstance(other, float):
        numbers = isinstance(one, (int, float)) and isinstance(other, (int, float))
        return numbers and (one == other or math.isclose(one, other, rel_tol=_JSON_RELATIVE, abs_tol=_JSON_ABSOLUTE))
    return bool(one == other)


def difference(output: object, answer: object) -> str:
    """What a person is told."""
    return "the output is " + _shown(output) + ", and the answer is " + _shown(answer)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "..."


def _key(key: object) -> str:
    return key if isinstance(key, str) else repr(key)

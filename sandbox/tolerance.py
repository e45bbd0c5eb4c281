"""Compares encoded outcomes (`driver/value_encoder.py`) with a tolerance for floats; everything else has to be equal.

Two floats agree if they differ by no more than `tolerance` times the larger of the two, or by no more than
`ABSOLUTE_FLOOR`, below which a relative difference means nothing. NaN agrees with NaN, an infinity with itself. Types
must be the same (1 is not 1.0), and so must text, keys of dictionaries and everything that was folded into a digest.
"""

from __future__ import annotations

import json
import math
import struct
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.sandbox.trees import Json

ABSOLUTE_FLOOR: Final = 1e-12
_NEAR_ZERO = 1e-3
_MAX_BYTES = 16 * 1024 * 1024
_KEYED = ("dict", "OrderedDict")
_UNORDERED = ("set", "frozenset")
_FOLDED = ("rest", "deep", "digest", "bytes", "bytearray", "text")
_FORMATS = {"f2": "e", "f4": "f", "f8": "d"}


class TreeAgreement(Enum):
    """How two outcomes compare."""

    AGREE = "agree"
    DIFFER = "differ"
    FOLDED = "folded"  # they differ in a part that was folded into a digest, where no tolerance reaches


def compare_with_tolerance(expected: bytes, actual: bytes, tolerance: float) -> TreeAgreement:
    """Whether two encoded outcomes agree.

    Args:
        expected: the outcome of the original; both were encoded for a comparison with a tolerance.
        actual: the outcome of the rewrite.
        tolerance: the largest relative difference of two floats, for instance 1e-9.
    """
    return _compared(expected, actual, partial(_close, tolerance=tolerance))


def largest_difference(expected: bytes, actual: bytes) -> tuple[TreeAgreement, float]:
    """How far the floats of two encoded outcomes lie apart, if nothing else differs.

    Returns:
        AGREE if only floats differ, none of them NaN or infinite in one outcome alone; FOLDED if a part that was
        folded into a digest differs, too. And the largest difference, relative to the larger of the two floats; of
        floats near zero those that are no further apart than `ABSOLUTE_FLOOR` do not count.
    """
    apart = [0.0]

    def measure(one: float, other: float) -> bool:
        if not (math.isfinite(one) and math.isfinite(other)):
            return _close(one, other, tolerance=0.0)
        difference, size = abs(one - other), max(abs(one), abs(other))
        if difference > ABSOLUTE_FLOOR or size > _NEAR_ZERO:
            apart.append(difference / size)
        return True

    return _compared(expected, actual, measure), max(apart)


def with_close_floats_equal(expected: bytes, actual: bytes, tolerance: float) -> bytes:
    """The actual outcome with the expected one's floats wherever the two agree: what else differs is what counts."""
    try:
        return json.dumps(_snapped(json.loads(expected), json.loads(actual), tolerance)).encode("ascii")
    except (ValueError, RecursionError):
        return actual


def _snapped(left: Json, right: Json, tolerance: float) -> Json:
    match left, right:
        case ["float", str(one)], ["float", str(other)]:
            return left if _close(_number(one), _number(other), tolerance) else right
        case ["floats", str(code), str(one)], ["floats", str(other_code), str(other)] if code == other_code:
            return left if _all_close(code, one, other, partial(_close, tolerance=tolerance)) else right
        case [*items], [*others] if len(items) == len(others):
            return [_snapped(item, other, tolerance) for item, other in zip(items, others, strict=True)]
        case _:
            return right


def _compared(expected: bytes, actual: bytes, close: Callable[[float, float], bool]) -> TreeAgreement:
    if expected == actual:
        return TreeAgreement.AGREE
    if max(len(expected), len(actual)) > _MAX_BYTES:
        return TreeAgreement.FOLDED
    try:
        return _compare(json.loads(expected), json.loads(actual), close)
    except (ValueError, RecursionError):
        return TreeAgreement.DIFFER


def _compare(expected: Json, actual: Json, close: Callable[[float, float], bool]) -> TreeAgreement:
    """Whatever differs beside floats is more than a part that is folded, which is more than nothing."""
    waiting: list[tuple[Json, Json]] = [(expected, actual)]
    found = TreeAgreement.AGREE
    while waiting:
        left, right = waiting.pop()
        match left, right:
            case ["float", str(one)], ["float", str(other)]:
                if not close(_number(one), _number(other)):
                    return TreeAgreement.DIFFER
            case ["floats", str(code), str(one)], ["floats", str(other_code), str(other)] if code == other_code:
                if not _all_close(code, one, other, close):
                    return TreeAgreement.DIFFER
            case [str(tag), *_], [str(other), *_] if tag in _FOLDED and tag == other:
                if not _same(left, right):
                    found = TreeAgreement.FOLDED
            case [*items], [*others] if len(items) == len(others):
                waiting.extend(_pairs(items, others))
            case _ if not _same(left, right):
                return TreeAgreement.DIFFER
    return found


def _pairs(items: list[Json], others: list[Json]) -> Iterator[tuple[Json, Json]]:
    """What has to agree for two lists to agree."""
    tag = items[0] if items else None
    if tag in _KEYED or tag == "defaultdict":
        yield from zip(_keys(items), _keys(others), strict=False)
    if tag in _UNORDERED:
        items, others = _in_order(items), _in_order(others)
    yield from zip(items, others, strict=True)


def _keys(items: list[Json]) -> list[Json]:
    """The keys of a dictionary as text, which no tolerance reaches into."""
    pairs = items[2][1:] if items[0] == "defaultdict" and isinstance(items[2], list) else items[1:]
    return [json.dumps(pair[1]) if isinstance(pair, list) and len(pair) > 1 else pair for pair in pairs]


def _in_order(items: list[Json]) -> list[Json]:
    """The elements of a set, its floats by size: as text, 9.99 and 10.0 lie far apart."""
    return sorted(items, key=lambda item: (_is_float(item), _size(item), json.dumps(item)))


def _is_float(item: Json) -> bool:
    return isinstance(item, list) and len(item) == 2 and item[0] == "float"


def _size(item: Json) -> float:
    number = _number(str(item[1])) if isinstance(item, list) and _is_float(item) else 0.0
    return math.inf if math.isnan(number) else number


def _number(text: str) -> float:
    return float(text[:64])


def _close(one: float, other: float, tolerance: float) -> bool:
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=ABSOLUTE_FLOOR)


def _all_close(code: str, one: str, other: str, close: Callable[[float, float], bool]) -> bool:
    """Elements of arrays: their code, and their bytes in hexadecimal."""
    letter = _FORMATS.get(code[1:])
    if letter is None or code[0] not in "<>":
        return one == other
    left, right = bytes.fromhex(one), bytes.fromhex(other)
    form = struct.Struct(code[0] + letter)
    if len(left) != len(right) or len(left) % form.size:
        return False
    pairs = zip(form.iter_unpack(left), form.iter_unpack(right), strict=True)
    return all(close(mine, yours) for (mine,), (yours,) in pairs)


def _same(left: Json, right: Json) -> bool:
    """Whether two trees are the same; `==` would take 1 for true."""
    return json.dumps(left) == json.dumps(right)

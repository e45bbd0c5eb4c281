"""Edge cases near functions, numbers, choices, generators, arrays and frames that libraries define.

No library is imported here: who holds one of its values has imported it.
"""

from __future__ import annotations

import enum
import random
import sys
from decimal import Decimal
from fractions import Fraction
from types import BuiltinFunctionType, FunctionType
from typing import Any, Iterator, Tuple

from .array_edges import array_edges
from .frame_edges import frame_edges

Edge = Tuple[str, Any]  # kind, value
SEEDS = (0, 1, 2)
# What a caller may give for a predicate or a key: results that are true and not True, that are no numbers, that raise.
FUNCTIONS = (len, abs, str, bool)
CLASSES, EXCEPTIONS = (list, dict, str, tuple, int), (Exception, ValueError, KeyError)


def object_edges(value: Any) -> Iterator[Edge]:
    """Values of the same type; none for what is not known."""
    kind = type(value)
    numpy = sys.modules.get("numpy")
    if isinstance(value, enum.Enum):
        yield from (("another choice", each) for each in kind if each is not value)
    elif kind in (FunctionType, BuiltinFunctionType):
        yield from (("another function", each) for each in FUNCTIONS if each is not value)
    elif kind is Decimal or kind is Fraction:
        yield from (("decimal changed", kind(text)) for text in ("0", "-1", "0.005", "1e20", "1.10"))
    elif kind is random.Random:
        yield from (("another seed", random.Random(seed)) for seed in SEEDS)  # noqa: S311 - a value for a test
    elif numpy is not None and isinstance(value, numpy.random.Generator):
        yield from (("another seed", numpy.random.default_rng(seed)) for seed in SEEDS)
    elif numpy is not None and kind is numpy.ndarray:
        yield from array_edges(numpy, value)
    elif is_frame(value):
        yield from frame_edges(sys.modules["pandas"], value)


def other_classes(value: Any) -> Iterator[Edge]:
    """Other builtin classes in place of one, exceptions for an exception."""
    if isinstance(value, type) and value.__module__ == "builtins":
        others = EXCEPTIONS if issubclass(value, BaseException) else CLASSES
        yield from (("another class", each) for each in others if each is not value)


def is_frame(value: Any) -> bool:
    """Whether it is a frame or a series of pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and type(value) in (pandas.DataFrame, pandas.Series)

"""The constructors that an expression may call because they only make values, and how large these may become."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

IMPORTS: Final = {
    **{name: f"from collections import {name}" for name in ("Counter", "OrderedDict", "defaultdict", "deque")},
    **{name: f"from pathlib import {name}" for name in ("PosixPath", "PurePosixPath", "PureWindowsPath")},
    "Decimal": "from decimal import Decimal",
    "Fraction": "from fractions import Fraction",
    "UUID": "from uuid import UUID",
    "array": "from array import array",
    "datetime": "import datetime",
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "zoneinfo": "import zoneinfo",
}
MODULES: Final = frozenset({"datetime", "np", "pd", "zoneinfo"})
# Builtins that are called, and those that are passed.
BUILTINS: Final = frozenset({"bytearray", "complex", "float", "frozenset", "range", "set", "slice"})
PASSED_BUILTINS: Final = BUILTINS | {
    *("abs", "all", "any", "bool", "bytes", "dict", "int", "len", "list", "max", "min", "object", "repr", "reversed"),
    *("round", "sorted", "str", "sum", "tuple", "type", "zip"),
}
_SCALARS = "bool_ str_ bytes_ datetime64 timedelta64 float16 float32 float64 complex64 complex128"
_INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 longlong ulonglong"
MEMBERS: Final = frozenset({
    *(f"datetime.{name}" for name in ("date", "datetime", "time", "timedelta", "timezone")),
    *(f"np.{name}" for name in ("array", "empty", "dtype", *_SCALARS.split(), *_INTEGERS.split())),
    *(f"pd.{name}" for name in ("DataFrame", "Series", "Index", "RangeIndex", "DatetimeIndex", "CategoricalDtype")),
    *(f"pd.{name}" for name in ("Timestamp", "Timedelta", "Period", "MultiIndex.from_tuples")),
    "zoneinfo.ZoneInfo",
})  # fmt: skip
VALUES: Final = frozenset({"datetime.timezone.utc", "pd.NaT", "pd.NA"})
FRAME_METHODS: Final = frozenset({"astype", "set_axis"})
DEFINED_NAMES: Final = frozenset("abcdefgh")  # of objects that stand in several places
MOST_ITEMS = 1_000  # that a constructor may count up without being given them: `LiteralWriter` writes far fewer
_KEYWORDS = frozenset({
    *("axis", "dtype", "freq", "index", "name", "names", "ordered", "tz"),
    *("days", "fold", "key", "microseconds", "seconds", "tzinfo"),
})  # fmt: skip
_LARGE_TYPE = re.compile(r"\d{4}")  # `U9999`: so much memory for each element


def size_objection(name: str, call: ast.Call) -> str:
    """What makes the call of a known constructor dear, or unknown after all; empty if nothing does."""
    unknown = [str(keyword.arg) for keyword in call.keywords if keyword.arg not in _KEYWORDS]
    if unknown:
        return f"{name} is called with {unknown[0]}"
    types = [keyword.value for keyword in call.keywords if keyword.arg == "dtype"]
    is_dear = _OBJECTIONS.get(name, _may_grow)(call) or not all(map(_is_small_type, types))
    return f"{name} may become too large" if is_dear else ""


def counts_up(tree: ast.expr) -> bool:
    """Whether a range in an expression is long, or of a length that the text does not say."""
    return any(map(_is_long_range, ast.walk(tree)))


def _may_grow(call: ast.Call) -> bool:
    """Whether the result may be far larger than the text, as of a long range, or a list of lists of one list."""
    is_deep = ast.unparse(call.func).startswith(("np.", "pd."))
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    names = {each.id for part in given for each in ast.walk(part) if isinstance(each, ast.Name)}
    return any(map(counts_up, given)) or (is_deep and bool(names & DEFINED_NAMES))


def _is_no_text(call: ast.Call) -> bool:
    """Whether something else is given than bytes or text as they are: a number is a length."""
    return not all(isinstance(each, ast.Constant) and isinstance(each.value, bytes | str) for each in call.args)


def _is_not_empty(call: ast.Call) -> bool:
    """Whether the shape has no zero in it."""
    match call.args:
        case [ast.Tuple(elts=sizes)]:
            return not any(isinstance(each, ast.Constant) and each.value == 0 for each in sizes)
    return True


def _is_large_type(call: ast.Call) -> bool:
    return not all(map(_is_small_type, call.args))


def _is_long_range(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="range") | ast.Attribute(attr="RangeIndex"), args=args):
            return not all(_is_small_number(each) for each in args)
    return False


def _is_small_number(node: ast.expr) -> bool:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_small_number(operand)
        case ast.Constant(value=int(number)):
            return number <= MOST_ITEMS
    return False


def _is_small_type(node: ast.expr) -> bool:
    """Whether it is the name of an element type without a large size, or a type that is made by itself."""
    match node:
        case ast.Constant(value=str(text)):
            return not _LARGE_TYPE.search(text)
        case ast.Call(func=ast.Attribute(attr="dtype" | "CategoricalDtype")):
            return True
        case ast.Dict(values=values):
            return all(map(_is_small_type, values))
    return False


_OBJECTIONS: Final[dict[str, Callable[[ast.Call], bool]]] = {
    "bytearray": _is_no_text,
    "np.bytes_": _is_no_text,
    "np.empty": _is_not_empty,
    "np.dtype": _is_large_type,
    "astype": _is_large_type,
    "range": lambda _: False,  # only dear where another constructor goes through it
    "pd.RangeIndex": counts_up,
}

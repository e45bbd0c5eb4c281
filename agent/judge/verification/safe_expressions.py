"""Reads expressions that came out of a sandbox, and lets only those through that can do nothing but make values.

What a written test holds is run by the user, outside the sandbox. So each expression is parsed here, and has to consist
of constants, containers, calls of constructors that are known to be harmless, and calls of classes of the user's own
file, in which no name begins with an underscore. Anything else is no value that could be written.
"""

from __future__ import annotations

import ast
import io
import tokenize
from dataclasses import dataclass, field
from typing import Final

MOST_CHARACTERS = 20_000
_IMPORTS: Final = {
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
_MODULES = frozenset({"datetime", "np", "pd", "zoneinfo"})
# Builtins that are called, and those that are passed.
_MADE_BY = frozenset({"bytearray", "complex", "float", "frozenset", "range", "set", "slice"})
_NAMED = _MADE_BY | {
    *("abs", "all", "any", "bool", "bytes", "dict", "int", "len", "list", "max", "min", "object", "repr", "reversed"),
    *("round", "sorted", "str", "sum", "tuple", "type", "zip"),
}
_SCALARS = "bool_ str_ bytes_ datetime64 timedelta64 float16 float32 float64 complex64 complex128"
_INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 longlong ulonglong"
_CALLED = frozenset({
    *(f"datetime.{name}" for name in ("date", "datetime", "time", "timedelta", "timezone")),
    *(f"np.{name}" for name in ("array", "empty", "dtype", *_SCALARS.split(), *_INTEGERS.split())),
    *(f"pd.{name}" for name in ("DataFrame", "Series", "Index", "RangeIndex", "DatetimeIndex", "CategoricalDtype")),
    *(f"pd.{name}" for name in ("Timestamp", "Timedelta", "Period", "MultiIndex.from_tuples")),
    "zoneinfo.ZoneInfo",
})  # fmt: skip
_VALUES = frozenset({"datetime.timezone.utc", "pd.NaT", "pd.NA"})
_FRAME_METHODS = frozenset({"astype", "set_axis"})
MADE = "made"  # a helper of the written test


class UnsafeExpressionError(Exception):
    """An expression that may not stand in a written test; the message says why."""


@dataclass(frozen=True, slots=True)
class FileNames:
    """What a file defines at its top level."""

    classes: frozenset[str]
    functions: frozenset[str]

    @classmethod
    def of(cls, source: str) -> FileNames:
        """The names of a file's text. Of what it imports, names that are written like classes count as classes."""
        classes: set[str] = set()
        functions: set[str] = set()
        for node in ast.parse(source).body:
            match node:
                case ast.ClassDef(name=name):
                    classes.add(name)
                case ast.FunctionDef(name=name):
                    functions.add(name)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call()) if name[:1].isupper():
                    classes.add(name)
                case ast.ImportFrom(names=names):
                    classes |= {each.asname or each.name for each in names if each.name[:1].isupper()} - set(_IMPORTS)
        return cls(frozenset(classes), frozenset(functions))


@dataclass(slots=True)
class ExpressionReader:
    """Lets expressions through, and keeps what they need: imports, and names of the user's file."""

    known: FileNames
    local: set[str] = field(default_factory=set)  # names that were defined from expressions before
    imports: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)

    def read(self, text: str) -> str:
        """The expression as it came.

        Raises:
            UnsafeExpressionError: it is no plain value.
        """
        if len(text) > MOST_CHARACTERS:
            raise UnsafeExpressionError("it is too long")
        if not (text.isascii() and text.isprintable()):
            raise UnsafeExpressionError("it is no printable line")
        try:
            tree = ast.parse(text, mode="eval").body
            tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
            self._check(tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError) as error:
            raise UnsafeExpressionError("a part of it is too large, or cannot be written as code") from error
        if any(token.type == tokenize.COMMENT for token in tokens):
            raise UnsafeExpressionError("it holds a comment")
        return text

    def _check(self, node: ast.expr) -> None:
        match node:
            case ast.Constant():
                return
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                self._check_all(parts)
            case ast.Dict(keys=keys, values=values) if None not in keys:
                self._check_all([key for key in keys if key is not None])
                self._check_all(values)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                self._check(operand)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant() as right):
                self._check_all([left, right])
            case ast.Call(func=function, args=arguments, keywords=keywords):
                self._check_called(function)
                self._check_all(arguments)
                for keyword in keywords:
                    if keyword.arg is None or keyword.arg.startswith("__"):
                        raise UnsafeExpressionError(f"the argument {keyword.arg} cannot be passed")
                    self._check(keyword.value)
            case ast.Name() | ast.Attribute():
                self._check_name(node)
            case _:
                raise UnsafeExpressionError(f"{type(node).__name__} is no plain value")

    def _check_all(self, nodes: list[ast.expr]) -> None:
        for node in nodes:
            self._check(node)

    def _check_called(self, node: ast.expr) -> None:
        match node:
            case ast.Attribute(value=ast.Call() as made, attr=method) if method in _FRAME_METHODS:
                self._check(made)
                return
        path = _path(node)
        first, last = path[0], path[-1]
        if len(path) == 1 and first in {*_MADE_BY, MADE} and first not in self.known.classes:
            return
        if first in self.known.classes and last[:1].isupper() and _is_public(path):
            self.used.add(first)
        elif ".".join(path) in _CALLED or (len(path) == 1 and first in _IMPORTS.keys() - _MODULES):
            self.imports.add(_IMPORTS[first])
        else:
            raise UnsafeExpressionError(f"{'.'.join(path)} is no constructor that is known")

    def _check_name(self, node: ast.expr) -> None:
        path = _path(node)
        first = path[0]
        if (first in self.known.classes and _is_public(path)) or (len(path) == 1 and first in self.known.functions):
            self.used.add(first)
        elif ".".join(path) in _VALUES or (len(path) == 1 and first in _IMPORTS.keys() - _MODULES):
            self.imports.add(_IMPORTS[first])
        elif len(path) != 1 or first not in self.local | _NAMED:
            raise UnsafeExpressionError(f"{'.'.join(path)} is no name that is known")


def _path(node: ast.expr) -> list[str]:
    """The parts of a dotted name."""
    match node:
        case ast.Name(id=name):
            return [name]
        case ast.Attribute(value=value, attr=name):
            return [*_path(value), name]
        case _:
            raise UnsafeExpressionError("something is called that has no name")


def _is_public(path: list[str]) -> bool:
    return not any(part.startswith("_") for part in path[1:])

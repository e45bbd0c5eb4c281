"""Reads expressions that came out of a sandbox, and lets only those through that can do nothing but make values.

What a written test holds is run by the user, outside the sandbox. So each expression is parsed here. It has to consist
of constants, containers, and calls of constructors that are known to be harmless: those of some libraries, and of
classes of the project whose text says that they only keep what they are given. No name in it begins with an underscore.
Anything else is no value that could be written.
"""

from __future__ import annotations

import ast
import builtins
import io
import tokenize
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.agent.judge.verification.plain_classes import ClassReader
from afterburner.agent.judge.verification.safe_constructors import (
    BUILTINS,
    DEFINED_NAMES,
    FRAME_METHODS,
    IMPORTS,
    MEMBERS,
    MODULES,
    PASSED_BUILTINS,
    VALUES,
    counts_up,
    size_objection,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.agent.judge.verification.plain_classes import PlainClass
    from afterburner.agent.judge.verification.project_text import ModuleText, ProjectText

MOST_CHARACTERS = 20_000
MADE = "made"  # a helper of the written test


class UnsafeExpressionError(Exception):
    """An expression that may not stand in a written test; the message says why."""


@dataclass(frozen=True, slots=True)
class FileNames:
    """What a file defines at its top level, and the classes that it imports from its project.

    `classes` are known by dotted name; where the text does not say all of a class, it is None. `data` are names of
    neither functions, nor classes, nor what is imported.
    """

    classes: Mapping[str, PlainClass | None]
    functions: frozenset[str]
    data: frozenset[str]

    @classmethod
    def of(cls, module: ModuleText, project: ProjectText) -> FileNames:
        """The names of a module."""
        functions = {name for name, each in module.statements.items() if isinstance(each, ast.FunctionDef)}
        own = {name for name, each in module.statements.items() if isinstance(each, ast.ClassDef)}
        classes = {
            name: plain
            for name, plain in ClassReader(project).classes_of(module).items()
            if name not in IMPORTS.keys() - own
        }
        return cls(classes, frozenset(functions), module.data)

    def __contains__(self, name: str) -> bool:
        return name in self.classes or name in self.functions


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
        self._parsed(text)
        return text

    def define(self, name: str, text: str) -> str:
        """The same of an object that stands in several places; the expressions after it know it by this name.

        Raises:
            UnsafeExpressionError: likewise, or the name means something else.
        """
        tree = self._parsed(text)
        if name not in DEFINED_NAMES or name in self.known:
            raise UnsafeExpressionError("an object in it has a name that means something else")
        if counts_up(tree):
            raise UnsafeExpressionError("a range in it may become too large")
        self.local.add(name)
        return text

    def check_state(self, name: str) -> None:
        """Let a global of the module be set if the file keeps data under its name.

        Raises:
            UnsafeExpressionError: it is a function, a class, a module or a builtin.
        """
        if name not in self.known.data or hasattr(builtins, name):
            raise UnsafeExpressionError(f"{name} is no name of data in the module")

    def _parsed(self, text: str) -> ast.expr:
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
        return tree

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
            case ast.Call():
                self._check_call(node)
            case ast.Name() | ast.Attribute():
                self._check_name(node)
            case _:
                raise UnsafeExpressionError(f"{type(node).__name__} is no plain value")

    def _check_all(self, nodes: list[ast.expr]) -> None:
        for node in nodes:
            self._check(node)

    def _check_call(self, call: ast.Call) -> None:
        for keyword in call.keywords:
            if keyword.arg is None or keyword.arg.startswith("__"):
                raise UnsafeExpressionError(f"the argument {keyword.arg} cannot be passed")
        self._check_all([*call.args, *(keyword.value for keyword in call.keywords)])
        match call.func:
            case ast.Attribute(value=ast.Call() as made, attr=name) if name in FRAME_METHODS and _is_frame(made):
                self._check(made)
                self._check_size(name, call)
                return
        path = _path(call.func)
        first, name = path[0], ".".join(path)
        if name in self.known.classes:
            plain = self.known.classes[name]
            if plain is None or not plain.keeps_arguments:
                raise UnsafeExpressionError(f"the constructor of {name} may do more than make a value")
            self.used.add(first)
        elif first in self.known or first in self.local:
            raise UnsafeExpressionError(f"{name} is no constructor that is known")
        elif name == MADE:
            self._check_made(call)
        elif name in BUILTINS:
            self._check_size(name, call)
        elif name in MEMBERS or (name in IMPORTS and name not in MODULES):
            self._check_size(name, call)
            self.imports.add(IMPORTS[first])
        else:
            raise UnsafeExpressionError(f"{name} is no constructor that is known")

    def _check_made(self, call: ast.Call) -> None:
        """Let an object be made without its constructor where neither its attributes nor its end run any code."""
        name = ".".join(_path(call.args[0])) if len(call.args) == 1 else ""
        plain = self.known.classes.get(name)
        given = {str(keyword.arg) for keyword in call.keywords}
        if plain is None or plain.drops or given & plain.computed:
            raise UnsafeExpressionError(f"an object of {name or 'a class'} may do more than hold values")

    def _check_size(self, name: str, call: ast.Call) -> None:
        if objection := size_objection(name, call):
            raise UnsafeExpressionError(objection)

    def _check_name(self, node: ast.expr) -> None:
        path = _path(node)
        first, name = path[0], ".".join(path)
        is_class = self.known.classes.get(first) is not None and _is_public(path)
        if is_class or name in self.known.functions:
            self.used.add(first)
        elif name in VALUES or (name in IMPORTS and name not in MODULES):
            self.imports.add(IMPORTS[first])
        elif name not in self.local | PASSED_BUILTINS:
            raise UnsafeExpressionError(f"{name} is no name that is known")


def _is_frame(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Call() as made, attr=name) if name in FRAME_METHODS:
            return _is_frame(made)
        case ast.Attribute(value=ast.Name(id="pd"), attr="DataFrame"):
            return True
    return False


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

"""Attributes that are left to whoever uses an object: no method of its class changes them.

    class Report:
        def __init__(self):
            self.rows = []  # whoever makes a report puts them there

No constructor takes such an attribute, so it is set on a copy. One that a method changes, too, is none: the class may
keep it in step with another.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from typing import FrozenSet, Iterator, Optional, Set

from .container_kinds import HEAP_TYPE

# Methods of containers and texts that change nothing.
_READING = frozenset(
    {"casefold", "copy", "count", "decode", "difference", "encode", "endswith", "find", "format", "get", "index"}
    | {"intersection", "isdigit", "isdisjoint", "issubset", "issuperset", "items", "join", "keys", "lower", "lstrip"}
    | {"partition", "replace", "rfind", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip"}
    | {"title", "union", "upper", "values"}
)
# Functions that change nothing of what they are given.
_LOOKING = frozenset(
    {"all", "any", "bool", "dict", "enumerate", "filter", "float", "frozenset", "getattr", "hasattr", "hash", "id"}
    | {"int", "isinstance", "issubclass", "iter", "len", "list", "map", "max", "min", "print", "range", "repr"}
    | {"reversed", "round", "set", "sorted", "str", "sum", "tuple", "type", "zip"}
)


@functools.lru_cache(maxsize=256)
def changed_by_methods(kind: type) -> Optional[FrozenSet[str]]:
    """The attributes that methods of a class may change, without its constructor; None: its code cannot be read."""
    found: Set[str] = set()
    for base in kind.__mro__:
        if not base.__flags__ & HEAP_TYPE:
            continue
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError, SyntaxError, ValueError):
            return None
        for method in ast.walk(tree):
            if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) and method.name != "__init__":
                found.update(_changed_in(method))
    return frozenset(found)


def _changed_in(method: ast.AST) -> Iterator[str]:
    """Attributes of any object: a class may have methods that change others of its kind."""
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield node.attr
        elif isinstance(node, (ast.Subscript, ast.Assign, ast.NamedExpr)):
            # Under another name it may be changed.
            if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
                yield from _attribute(node.value)
        elif isinstance(node, ast.Call):
            yield from _changed_by_call(node)


def _changed_by_call(call: ast.Call) -> Iterator[str]:
    if isinstance(call.func, ast.Attribute) and call.func.attr not in _READING:
        yield from _attribute(call.func.value)
    is_looking = isinstance(call.func, ast.Name) and call.func.id in _LOOKING
    if not is_looking and not (isinstance(call.func, ast.Attribute) and call.func.attr in _READING):
        for given in (*call.args, *(each.value for each in call.keywords)):
            yield from _attribute(given)


def _attribute(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        yield node.attr

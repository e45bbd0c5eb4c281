"""Names under which a file keeps data: at the top of the module, in its classes, and as attributes.

With them those by which it writes data out while a file stays open: what others find in the file is then an effect.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def data_names(source: str) -> tuple[str, ...]:
    """The names, sorted; nothing for text that cannot be parsed."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(sorted(set(_names(tree))))


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.Attribute(attr="flush" | "fsync" as name) | ast.keyword(arg="flush" as name):
                yield name
            case ast.Global(names=names):
                yield from names
            case ast.ClassDef(name=name):
                yield name
    yield from _outside_functions(tree)


def _outside_functions(tree: ast.Module) -> Iterator[str]:
    """Names that are bound outside of any function."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, _Scope)]

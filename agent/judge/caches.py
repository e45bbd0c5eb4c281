"""Finds what a rewrite remembers from one call to the next, so that the report can say it.

A cache is no cheat by itself: its gain counts as far as it shows when every call is made for the first time, which is
for the clock to tell. But it is memory that stays, and the user should know.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from afterburner.agent.judge.world_uses import changed_statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DECORATORS = frozenset(("cache", "lru_cache", "cached_property"))
_MUTATING = frozenset((
    "add", "append", "appendleft", "extend", "insert", "setdefault", "update", "pop", "popitem", "clear", "remove",
    "move_to_end", "__setitem__",
))  # fmt: skip
_CONTAINERS = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp, ast.Call)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def kept_between_calls(original: str, rewrite: str) -> tuple[str, ...]:
    """Where the new code keeps results between calls, in words: "lru_cache on ways", "the module's _memo".

    Args:
        original: the text of the user's file.
        rewrite: the text of the same file with the rewrite in place.

    Returns:
        Nothing for code that cannot be parsed.
    """
    try:
        before, after = ast.parse(original), ast.parse(rewrite)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    outer = {name for statement in after.body for name in _bound(statement)}
    found: dict[str, None] = {}
    for statement in changed_statements(before, after):
        if isinstance(statement, ast.ClassDef):
            functions: list[ast.stmt] = [each for each in statement.body if isinstance(each, _Function)]
        else:
            functions = [statement]
        for each in functions:
            if isinstance(each, _Function):
                found.update(dict.fromkeys(_of_function(each, outer)))
    return tuple(found)


def _of_function(function: _Function, outer: set[str]) -> Iterator[str]:
    for decorator in function.decorator_list:
        name = _last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if name in _DECORATORS:
            yield f"{name} on {function.name}"
    arguments = function.args
    positional = (*arguments.posonlyargs, *arguments.args)
    defaults = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False))
    defaults.update(
        {name: value for name, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value}
    )
    containers = {argument.arg for argument, value in defaults.items() if isinstance(value, _CONTAINERS)}
    changed = set(_changed_names(function.body))
    local = {name for statement in function.body for name in _bound(statement)} | {each.arg for each in positional}
    yield from (f"the default of {name} in {function.name}" for name in sorted(containers & changed))
    declared = {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}
    yield from (f"the module's {name}" for name in sorted((changed & outer - local) | declared))


def _changed_names(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Names whose object is changed in place: an item or an attribute is set, or a method does it."""
    for node in (node for statement in body for node in ast.walk(statement)):
        match node:
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
                yield _first_name(node)
            case ast.Call(func=ast.Attribute(attr=attribute) as target) if attribute in _MUTATING:
                yield _first_name(target)


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Names that a statement binds, itself or in its blocks."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _first_name(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""

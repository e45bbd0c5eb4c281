"""What a function uses of its module: a rewrite was proven with that, and with nothing else."""

from __future__ import annotations

import ast
import warnings
from collections import defaultdict
from copy import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def uses_the_same(before: str, now: str, qualname: str) -> bool:
    """Whether all that a function reaches in its module, helpers of helpers too, is the same in two texts.

    A text that does not parse says nothing: True.
    """
    try:
        old, new = _nodes_by_name(before), _nodes_by_name(now)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    reached, waiting = set[str](), [qualname.partition(".")[0]]
    while waiting:
        name = waiting.pop()
        if name in reached or name not in old:
            continue
        reached.add(name)
        waiting += [each.id for node in old[name] for each in ast.walk(node) if isinstance(each, ast.Name)]
    return all(_dumped(old[name]) == _dumped(new.get(name, ())) for name in reached)


def _nodes_by_name(text: str) -> Mapping[str, list[ast.AST]]:
    """What binds each name of a module: statements, and of imports the part that binds it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body = ast.parse(text).body
    found: dict[str, list[ast.AST]] = defaultdict(list)
    for statement in body:
        for name, node in _bound(statement):
            found[name].append(node)
    return found


def _bound(statement: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    """The names that a statement binds, each once, and what binds them."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        for each in statement.names:
            alone = copy(statement)
            alone.names = [each]
            yield (each.asname or each.name).partition(".")[0], alone
        return
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name, statement
        return
    for name in dict.fromkeys(filter(None, map(_bound_name, ast.walk(statement)))):
        yield name, statement


def _bound_name(node: ast.AST) -> str:
    """The name that a part of a statement binds; empty: none."""
    if isinstance(node, ast.alias):
        return (node.asname or node.name).partition(".")[0]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    return node.id if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) else ""


def _dumped(nodes: Sequence[ast.AST]) -> list[str]:
    return [ast.dump(each) for each in nodes]

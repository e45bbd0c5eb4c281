"""What a function uses of its module: a rewrite was proven with that, and with nothing else."""

from __future__ import annotations

import ast
import warnings
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def uses_the_same(before: str, now: str, qualname: str) -> bool:
    """Whether all that a function reaches in its module, helpers of helpers too, is the same in two texts.

    A text that does not parse says nothing: True.
    """
    try:
        old, new = _statements_by_name(before), _statements_by_name(now)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    reached, waiting = set[str](), [qualname.partition(".")[0]]
    while waiting:
        name = waiting.pop()
        if name in reached or name not in old:
            continue
        reached.add(name)
        waiting += [each.id for statement in old[name] for each in ast.walk(statement) if isinstance(each, ast.Name)]
    return all(_dumped(old[name]) == _dumped(new.get(name, ())) for name in reached)


def _statements_by_name(text: str) -> Mapping[str, list[ast.stmt]]:
    """The statements of a module by the names that they bind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body = ast.parse(text).body
    found: dict[str, list[ast.stmt]] = defaultdict(list)
    for statement in body:
        for name in set(_bound(statement)):
            found[name].append(statement)
    return found


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    for each in ast.walk(statement):
        if isinstance(each, ast.alias):
            yield (each.asname or each.name).partition(".")[0]
        elif isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            yield each.id
        elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield each.name


def _dumped(statements: Sequence[ast.stmt]) -> list[str]:
    return [ast.dump(each) for each in statements]

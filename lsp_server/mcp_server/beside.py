"""What differs between two versions of a file beside the function that is judged."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import function_texts

if TYPE_CHECKING:
    from collections.abc import Container

_IMPORTS = (ast.Import, ast.ImportFrom)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def differences_beside(before: str, after: str, function: str | None) -> tuple[str, ...]:
    """Sentences on what nobody has judged: functions that are gone or differ, and other statements of the module.

    New functions, imports and constants do not count: the judged function may need them.

    Args:
        before: the first version, which is Python.
        after: the second one.
        function: that was judged; None: the whole program was.
    """
    if function is None:
        return ()
    old, new = function_texts(before), function_texts(after)
    gone = [name for name in old if name not in new]
    changed = [name for name, text in old.items() if name != function and new.get(name, text) != text]
    found = [f"{name} is gone" for name in gone] + [f"{name} differs" for name in changed]
    if _other_statements(before) != _other_statements(after, known=_names(before)):
        found.append("statements of the module outside of functions differ")
    return tuple(found)


def _other_statements(source: str, known: Container[str] | None = None) -> list[str]:
    """The statements of the module and its classes but imports, definitions, and values for names that are not known.

    Args:
        source: of the module.
        known: the names that count; None: all.
    """
    tree = _parsed(source)
    bodies = (tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef)))
    return [
        ast.dump(each)
        for body in bodies
        for each in body
        if not isinstance(each, (*_IMPORTS, *_DEFINITIONS)) and not (known is not None and _is_new(each, known))
    ]


def _is_new(statement: ast.stmt, known: Container[str]) -> bool:
    """Whether a statement only gives new names a value."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return isinstance(statement, ast.Assign | ast.AnnAssign) and all(
        isinstance(each, ast.Name) and each.id not in known for each in targets
    )


def _names(source: str) -> set[str]:
    return {each.id for each in ast.walk(_parsed(source)) if isinstance(each, ast.Name)}


def _parsed(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)

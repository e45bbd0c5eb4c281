"""What differs between two versions of a file beside the function that is judged."""

from __future__ import annotations

import ast
import warnings

from afterburner.agent.code.locate import functions_in
from afterburner.agent.code.source_text import split_lines

_IMPORTS = (ast.Import, ast.ImportFrom)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def differences_beside(before: str, after: str, function: str | None) -> tuple[str, ...]:
    """Sentences on what nobody has judged: functions that are gone or differ, and other statements of the module.

    New functions and imports do not count: the judged function may need them.

    Args:
        before: the first version, which is Python.
        after: the second one.
        function: that was judged; None: the whole program was.
    """
    if function is None:
        return ()
    old, new = _functions(before), _functions(after)
    gone = [name for name in old if name not in new]
    changed = [name for name, text in old.items() if name != function and new.get(name, text) != text]
    found = [f"{name} is gone" for name in gone] + [f"{name} differs" for name in changed]
    if _statements(before) != _statements(after):
        found.append("statements of the module outside of functions differ")
    return tuple(found)


def _functions(source: str) -> dict[str, list[str]]:
    lines = split_lines(source)
    return {name: lines[first - 1 : last] for name, first, last in functions_in(source)}


def _statements(source: str) -> list[str]:
    """The statements of the module but imports and definitions; of a class, those in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    return [
        ast.dump(each)
        for body in (tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef)))
        for each in body
        if not isinstance(each, (*_IMPORTS, *_DEFINITIONS))
    ]

"""Reads what a text imports, by statements and by names that are data."""

from __future__ import annotations

import ast
import re
import sys
from typing import TYPE_CHECKING

from afterburner.agent.code.source_text import parse

if TYPE_CHECKING:
    from collections.abc import Collection

_IMPORTERS = frozenset(("__import__", "import_module"))
_OTHERS = frozenset(("resolve_name", "find_spec", "load_module", "exec_module"))  # names that others may have, too
_THEIR_MODULES = frozenset(("importlib", "pkgutil"))
_SEEN = re.compile("|".join((*_IMPORTERS, *_OTHERS, "exec", "eval", "modules")))
_RUNNERS = frozenset(("exec", "eval", "compile"))


def new_imports(original: str, rewrite: str) -> list[tuple[str, int]]:
    """Give what one text of a file imports and the other does not, except for the standard library.

    Returns:
        Names of modules, each with the number of dots in front of it. Another module of a package that is imported
        already is nothing new.
    """
    first, second = _trees(original, rewrite)
    before = set(imports_of(first))
    known = {name.partition(".")[0] for name, level in before if not level} | sys.stdlib_module_names
    return [
        (name, level)
        for name, level in imports_of(second, typing_only=_typing_only(first))
        if (name, level) not in before and (level or name.partition(".")[0] not in known)
    ]


def new_importer(original: str, rewrite: str) -> tuple[str, int] | None:
    """Give the first place where a text imports by a name that is data, and the other does not in the same words.

    Returns:
        What it does it with, and the line (from 1).
    """
    if rewrite.isascii() and not _SEEN.search(rewrite):  # of other letters some stand for ASCII
        return None
    first, second = _trees(original, rewrite)
    runs_text = any(_name_of(node) in _RUNNERS - {"compile"} for node in ast.walk(first) if isinstance(node, ast.Name))
    runners = frozenset[str]() if runs_text else frozenset(("exec", "eval"))
    modules = {name.partition(".")[0] for name, _ in imports_of(second)}
    names = _IMPORTERS | (_OTHERS if modules & _THEIR_MODULES else frozenset()) | _aliases(second)
    known = {ast.dump(node) for node in ast.walk(first) if isinstance(node, ast.stmt | ast.Call)}
    waiting: list[ast.AST] = [second]
    found: list[tuple[int, str]] = []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt | ast.Call) and ast.dump(node) in known:
            continue
        name = _name_of(node)
        if name in names or (name in runners and isinstance(node, ast.Name)) or _is_loaded_modules(node):
            found.append((getattr(node, "lineno", 1), name))
        text = _run_text(node)
        if text is not None and any(_name_of(each) in names for each in ast.walk(text)):
            found.append((getattr(node, "lineno", 1), name))
        waiting += ast.iter_child_nodes(node)
    return (min(found)[1], min(found)[0]) if found else None


def imports_of(tree: ast.Module, *, typing_only: Collection[str] | None = None) -> list[tuple[str, int]]:
    """Give every module that is imported while the code runs, anywhere in it, with the number of dots in front.

    Args:
        tree: the code.
        typing_only: the statements, dumped, that only a type checker reads; None for those that say so.
    """
    found: list[tuple[str, int]] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and _is_typing(node.test):
            if typing_only is not None and ast.dump(node) not in typing_only:
                waiting += node.body
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            found += [(alias.name, 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level and not node.module:
            found += [(alias.name, node.level) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):  # what it takes out of a package may be a module
            found += [(node.module or "", node.level), *((f"{node.module}.{a.name}", node.level) for a in node.names)]
        text = _run_text(node)
        waiting += [*ast.iter_child_nodes(node), *([text] if text is not None else [])]
    return found


def _typing_only(tree: ast.Module) -> frozenset[str]:
    return frozenset(ast.dump(node) for node in ast.walk(tree) if isinstance(node, ast.If) and _is_typing(node.test))


def _is_typing(test: ast.expr) -> bool:
    return _name_of(test) == "TYPE_CHECKING"


def _trees(original: str, rewrite: str) -> tuple[ast.Module, ast.Module]:
    """Both texts; where one is no Python, nothing: the sandbox says so."""
    try:
        return parse(original), parse(rewrite)
    except SyntaxError:
        return ast.Module([], []), ast.Module([], [])


def _name_of(node: ast.AST) -> str:
    """The last part of what a name or an attribute names, or what an import brings."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.alias(name=name):
            return name.rpartition(".")[2]
        case ast.Call(func=function):
            return _name_of(function)
    return ""


def _aliases(tree: ast.Module) -> set[str]:
    return {
        node.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.alias) and node.asname and node.name in _IMPORTERS
    }


def _is_loaded_modules(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "modules" and _name_of(node.value) == "sys"


def _run_text(node: ast.AST) -> ast.Module | None:
    """The code in a string that is run as it stands there."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(text)), *_]) if name in _RUNNERS:
            try:
                return parse(text)
            except SyntaxError:
                return None
    return None

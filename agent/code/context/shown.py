"""Code as a prompt may show it: without comments, and without string constants that look like secrets."""

from __future__ import annotations

import ast
import copy

from afterburner.agent.code.bindings import module_bindings
from afterburner.agent.code.context.redacted import is_doc, redacted
from afterburner.agent.code.source_text import parse

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ALWAYS = frozenset(("__init__", "__post_init__", "__new__", "__eq__", "__hash__", "__lt__", "__iter__", "__len__"))


def shown(node: ast.AST, within: str = "") -> str:
    """Write code without secrets; of docstrings the first line stays. Empty where it cannot be written.

    Args:
        node: the code.
        within: the qualified name of the function that it is taken from, if it is a part of one.
    """
    try:
        return ast.unparse(redacted(parse(ast.unparse(node)), within.rpartition(".")[2]))
    except (SyntaxError, RecursionError, ValueError):
        return ""


def outline(node: ast.stmt) -> str:
    """Write what stays of a definition where there is no room for it: signatures, fields; names of other things."""
    if isinstance(node, _FUNCTIONS):
        return shown(_hollow(node))
    if isinstance(node, ast.ClassDef):
        hollow = copy.copy(node)
        hollow.body = [_hollow(member) for member in node.body if not is_doc(member)] or [ast.Pass()]
        return shown(hollow)
    names = ", ".join(module_bindings([node]))
    return f"# {names}: long, left out" if names else ""


def class_part(node: ast.ClassDef, used: set[str], without: str = "") -> ast.ClassDef:
    """Reduce a class to its fields and to those of its methods that are used.

    Args:
        node: the class.
        used: the attributes that something uses, of whatever object.
        without: a method that is shown elsewhere.
    """
    part = copy.copy(node)
    part.body = []
    for member in node.body:
        name = getattr(member, "name", "")
        is_used = name != without and (name in used or name in _ALWAYS)
        if is_used or not isinstance(member, (*_FUNCTIONS, ast.ClassDef)):
            part.body.append(member)
    part.body = part.body or [ast.Pass()]
    return part


def first_line(node: ast.stmt, within: str = "") -> str:
    """Write the first line of a statement, for one that holds a block: its header; see `shown`."""
    if not getattr(node, "body", None):
        return shown(node, within)
    bare = copy.copy(node)
    bare.body = [ast.Pass()]  # type: ignore[attr-defined]
    for name in ("orelse", "finalbody", "handlers", "decorator_list"):
        if hasattr(bare, name):
            setattr(bare, name, [])
    return shown(bare, within).partition("\n")[0]


def _hollow(node: ast.stmt) -> ast.stmt:
    if not isinstance(node, _FUNCTIONS):
        return node
    bare = copy.copy(node)
    bare.body = [*(each for each in node.body[:1] if is_doc(each)), ast.Expr(ast.Constant(...))]
    return bare

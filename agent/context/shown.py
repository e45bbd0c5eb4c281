"""Code as a prompt may show it: without comments, and without string constants that look like secrets."""

from __future__ import annotations

import ast
import copy
import re
from typing import Any

from afterburner.agent.targets.names import module_bindings
from afterburner.agent.targets.text import parse

_MAX_STRING_CHARS = 60
_MAX_DOC_CHARS = 200
_MIN_SECRET_CHARS = 2
_SECRET_NAME = re.compile(r"key|token|secret|passw|credential|auth|private|dsn|salt|cookie|session", re.IGNORECASE)
_SECRET_TEXT = re.compile(r"(?=.*\d)[A-Za-z0-9+/=_.-]{16,}|://[^/\s]*:[^/\s]*@|-----BEGIN")
_HIDDEN = "…"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ALWAYS = frozenset(("__init__", "__post_init__", "__new__", "__eq__", "__hash__", "__lt__", "__iter__", "__len__"))


def shown(node: ast.AST) -> str:
    """Write code without secrets; of docstrings the first line stays. Empty where it cannot be written."""
    try:
        return ast.unparse(_Redacted().visit(parse(ast.unparse(node))))
    except (SyntaxError, RecursionError, ValueError):
        return ""


def outline(node: ast.stmt) -> str:
    """Write what stays of a definition where there is no room for it: signatures, fields; names of other things."""
    if isinstance(node, _FUNCTIONS):
        return shown(_hollow(node))
    if isinstance(node, ast.ClassDef):
        hollow = copy.copy(node)
        hollow.body = [_hollow(member) for member in node.body if not _is_doc(member)] or [ast.Pass()]
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


def first_line(node: ast.stmt) -> str:
    """Write the first line of a statement, for one that holds a block: its header."""
    if not getattr(node, "body", None):
        return shown(node)
    bare = copy.copy(node)
    bare.body = [ast.Pass()]  # type: ignore[attr-defined]
    for name in ("orelse", "finalbody", "handlers", "decorator_list"):
        if hasattr(bare, name):
            setattr(bare, name, [])
    return shown(bare).partition("\n")[0]


def _hollow(node: ast.stmt) -> ast.stmt:
    if not isinstance(node, _FUNCTIONS):
        return node
    bare = copy.copy(node)
    bare.body = [*(each for each in node.body[:1] if _is_doc(each)), ast.Expr(ast.Constant(...))]
    return bare


def _is_doc(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


class _Redacted(ast.NodeTransformer):
    """Hides string constants that look like secrets, by a name beside them or by themselves; long ones too."""

    def __init__(self) -> None:
        self._named_secret = False

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        value = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
        if not isinstance(value, str):
            return node
        named = self._named_secret and len(value) >= _MIN_SECRET_CHARS
        hidden = named or len(value) > _MAX_STRING_CHARS or _SECRET_TEXT.search(value)
        return ast.Constant(_HIDDEN) if hidden else node

    def visit_Expr(self, node: ast.Expr) -> Any:
        """Keep the first line of what documents something."""
        if not _is_doc(node) or not isinstance(node.value, ast.Constant):
            return self.generic_visit(node)
        line = str(node.value.value).strip().partition("\n")[0][:_MAX_DOC_CHARS]
        return ast.Expr(ast.Constant(_HIDDEN if _SECRET_TEXT.search(line) else line))

    def visit_Assign(self, node: ast.Assign) -> Any:
        return self._below(node, " ".join(ast.unparse(target) for target in node.targets))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        return self._below(node, ast.unparse(node.target))

    def visit_keyword(self, node: ast.keyword) -> Any:
        return self._below(node, node.arg or "")

    def visit_Dict(self, node: ast.Dict) -> Any:
        for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            node.values[index] = self._below(value, ast.unparse(key) if key else "", visit_itself=True)
        return node

    def _below(self, node: Any, name: str, *, visit_itself: bool = False) -> Any:
        before = self._named_secret
        self._named_secret = before or bool(_SECRET_NAME.search(name))
        try:
            return self.visit(node) if visit_itself else self.generic_visit(node)
        finally:
            self._named_secret = before

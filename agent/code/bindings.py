"""Which names a module binds, and to what."""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

OTHER = ""  # the origin of whatever is not imported


def alias_bindings(node: ast.Import | ast.ImportFrom) -> list[tuple[str, str]]:
    """Give (bound name, origin) of each part of an import; the origin of `a` in `import a.b` is "a"."""
    if isinstance(node, ast.Import):
        return [
            (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2 for alias in node.names
        ]
    module = "." * node.level + (node.module or "")
    return [(alias.asname or alias.name, f"{module}:{alias.name}") for alias in node.names]


def module_bindings(statements: Iterable[ast.stmt]) -> dict[str, set[str]]:
    """Map every name that the statements bind in the module to where it comes from (`OTHER` if not imported)."""
    collector = _Bindings()
    for statement in statements:
        collector.visit(statement)
    return collector.bound


def bindings_without_def(tree: ast.Module, qualname: str) -> list[ast.stmt]:
    """The statements that bind `name` in the module, or in a class of it, other than by `def`: in their order."""
    body: list[ast.stmt] = tree.body
    *classes, name = qualname.split(".")
    for part in classes:
        body = [each for node in body if isinstance(node, ast.ClassDef) and node.name == part for each in node.body]
    return [each for each in _statements_without_blocks(body) if name in module_bindings([each])]


def _statements_without_blocks(nodes: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    """The statements of a scope, also those below `if`, `try` and the like, but no functions."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        inner = [
            each
            for each in ast.iter_child_nodes(node)
            if isinstance(each, ast.stmt | ast.ExceptHandler | ast.match_case) and not isinstance(node, ast.ClassDef)
        ]
        if inner:
            yield from _statements_without_blocks(inner)
        elif isinstance(node, ast.stmt):
            yield node


def names_read(node: ast.AST) -> set[str]:
    """Give every plain name that occurs in the code, whatever its scope."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def explain_name(tree: ast.Module, qualname: str) -> str:
    """Say what a name is that is no function of the module; empty if it is nothing."""
    body: list[ast.stmt] = tree.body
    *classes, name = qualname.split(".")
    for part in classes:
        found = [node for node in body if isinstance(node, ast.ClassDef) and node.name == part]
        if not found:
            return ""
        body = found[-1].body
    value, kind = None, ""
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            kind = "is a class without methods of its own."
        elif isinstance(node, ast.Assign | ast.AnnAssign) and name in module_bindings([node]):
            kind, value = "is assigned, not defined with `def`.", node.value
        elif isinstance(node, ast.Import | ast.ImportFrom) and name in module_bindings([node]):
            kind = "is imported there. Name the file that defines it."
    if isinstance(value, ast.Lambda):
        return "is a lambda. Write it as a `def` to have it optimised."
    if isinstance(value, ast.Name):
        return f"is another name for {value.id}. Name {value.id} instead."
    return kind


class _Bindings(ast.NodeVisitor):
    """Collects what is bound in the module's own scope; `global` statements in functions count as well."""

    def __init__(self) -> None:
        self.bound: dict[str, set[str]] = defaultdict(set)
        self._depth = 0

    def _bind(self, name: str | None, origin: str = OTHER) -> None:
        if name is not None and self._depth == 0:
            self.bound[name].add(origin)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id)

    def visit_Import(self, node: ast.Import) -> None:
        for name, origin in alias_bindings(node):
            self._bind(name, origin)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for name, origin in alias_bindings(node):
            self._bind(name, origin)

    def visit_Global(self, node: ast.Global) -> None:
        for name in node.names:
            self.bound[name].add(OTHER)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._bind(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._bind(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self._bind(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._bind(node.rest)
        self.generic_visit(node)

    def _visit_scope(self, node: ast.AST, name: str | None = None) -> None:
        self._bind(name)
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_scope(node, node.name)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_scope(node, node.name)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit_scope(node, node.name)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_scope(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        """Leave the loop variables out: they live in the comprehension."""
        for part in (node.iter, *node.ifs):
            self.visit(part)

"""What a model is told about a target beside its code: signature, docstring, and what it uses of its own file."""

from __future__ import annotations

import ast
import copy
import re
from typing import TYPE_CHECKING

from afterburner.agent.targets.names import module_bindings, names_read
from afterburner.agent.targets.text import parse

if TYPE_CHECKING:
    from afterburner.agent.types import Target

MAX_CONTEXT_CHARS = 6_000
_MAX_DEFINITION_CHARS = 1_500
_MAX_STRING_CHARS = 60
_SECRET_NAME = re.compile(r"key|token|secret|passw|credential|auth|private|dsn|salt|cookie|session", re.IGNORECASE)
_SECRET_TEXT = re.compile(r"(?=.*\d)[A-Za-z0-9+/=_.-]{16,}|://[^/\s]*:[^/\s]*@|-----BEGIN")
_HIDDEN = "…"


def describe_target(target: Target) -> str:
    """Describe the problem that a target solves.

    Nothing comes from other files. String constants that look like secrets are left out, long ones too.
    """
    if target.function is None:
        doc = ast.get_docstring(parse(target.source))
        text = "The program reads its input from stdin and writes its result to stdout."
        return f"{text}\n\n{doc}" if doc else text
    from afterburner.agent.targets.locate import function_source  # noqa: PLC0415 - brings what locates files

    node = parse(function_source(target)).body[0]
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        raise TypeError(f"{target.function} is no function")
    kind = "method" if "." in target.function else "function"
    keyword = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    parts = [f"Rewrite the {kind} `{target.function}`:\n{keyword} {node.name}({ast.unparse(node.args)}){returns}"]
    doc = ast.get_docstring(node)
    if doc:
        parts.append(f"Its documentation:\n{doc}")
    context = _context(target, node)
    if context:
        parts.append(f"It stands in a module of which it uses this:\n```python\n{context}\n```")
    parts.append(
        "Give the whole function with its decorators, and beside it only the imports and new module-level helpers "
        "that it needs. Nothing else of the module can be changed."
    )
    return "\n\n".join(parts)


def _context(target: Target, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Collect what the function refers to: imports, constants, other functions, its class's other methods by name."""
    tree = parse(target.source)
    used = names_read(node)
    attributes = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    own_class, _, own_name = (target.function or "").partition(".")
    pieces = []
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef) and own_name and statement.name == own_class:
            pieces.append(_class_outline(statement, attributes | {"__init__"}, own_name))
        elif set(module_bindings([statement])) & used and getattr(statement, "name", "") != target.function:
            pieces.append(_shown(statement))
    text = ""
    for piece in filter(None, pieces):
        if len(text) + len(piece) > MAX_CONTEXT_CHARS:
            return text + "# (more of the module is left out here)"
        text += piece + "\n"
    return text.rstrip("\n")


def _class_outline(node: ast.ClassDef, used: set[str], own_name: str) -> str:
    body = [
        member
        for member in node.body
        if set(module_bindings([member])) & used and getattr(member, "name", "") != own_name
    ]
    outline = copy.copy(node)
    outline.body = body or [ast.Pass()]
    return _shown(outline)


def _shown(statement: ast.stmt) -> str:
    text = ast.unparse(_Redacted().visit(parse(ast.unparse(statement))))
    if len(text) <= _MAX_DEFINITION_CHARS:
        return text
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        keyword = "async def" if isinstance(statement, ast.AsyncFunctionDef) else "def"
        return f"{keyword} {statement.name}({ast.unparse(statement.args)}): ...  # long"
    return f"# {', '.join(module_bindings([statement]))}: long, left out"


class _Redacted(ast.NodeTransformer):
    """Hides string and bytes constants that look like secrets, by their name or by themselves, and long ones."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        value = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
        if isinstance(value, str) and (len(value) > _MAX_STRING_CHARS or _SECRET_TEXT.search(value)):
            return ast.Constant(_HIDDEN)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        return self._named(node, " ".join(module_bindings([node])))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        return self._named(node, ast.unparse(node.target))

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        return self._named(node, node.arg or "")

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        for index, key in enumerate(node.keys):
            if key is not None and _SECRET_NAME.search(ast.unparse(key)):
                node.values[index] = ast.Constant(_HIDDEN)
        return self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node  # its parts must stay what they are; what it is filled with is not in it

    def _named(self, node: ast.Assign | ast.AnnAssign | ast.keyword, name: str) -> ast.AST:
        hidden = isinstance(node.value, ast.Constant | ast.JoinedStr | ast.Call) and _SECRET_NAME.search(name)
        if hidden and any(
            isinstance(each, ast.Constant) and isinstance(each.value, str | bytes) for each in ast.walk(node)
        ):
            node.value = ast.Constant(_HIDDEN)
            return node
        return self.generic_visit(node)

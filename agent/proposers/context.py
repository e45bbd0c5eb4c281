"""What a model is told about a target beside its code: signature, docstring, and what it uses of its own file."""

from __future__ import annotations

import ast
import copy
import re
from typing import TYPE_CHECKING, Any

from afterburner.agent.targets.names import module_bindings, names_read
from afterburner.agent.targets.text import parse

if TYPE_CHECKING:
    from afterburner.agent.types import Target

MAX_CONTEXT_CHARS = 6_000
_MAX_DEFINITION_CHARS = 1_500
_MAX_STRING_CHARS = 60
_MIN_SECRET_CHARS = 2
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
        parts.append(f"Of its module this is at hand:\n```python\n{context}\n```")
    parts.append(
        "Give the whole function with its decorators, and beside it only the imports and new module-level helpers "
        "that it needs. Nothing else of the module can be changed."
    )
    return "\n\n".join(parts)


def _context(target: Target, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Collect the imports, and what the function refers to: constants, functions, other methods of its class."""
    tree = parse(target.source)
    used = names_read(node)
    attributes = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    own_class, _, own_name = (target.function or "").partition(".")
    pieces = []
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef) and own_name and statement.name == own_class:
            pieces.append(_class_outline(statement, attributes | {"__init__"}, own_name))
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            pieces.append(ast.unparse(statement))
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

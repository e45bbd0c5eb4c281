"""What Python code does, apart from its words: to tell a change of code from one of docstrings, layout and hints."""

from __future__ import annotations

import ast
import io
import tokenize
from typing import Any

from afterburner.agent import UsageError
from afterburner.agent.code.bindings import bindings_without_def
from afterburner.agent.code.locate import functions_in
from afterburner.agent.code.source_text import dedent, parse

_DOCSTRING_OWNERS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def decode(data: bytes) -> str:
    """The text of a Python file, by its own declaration of its encoding."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return data.decode("utf-8", "replace")


def differs_outside(before: str, after: str) -> bool:
    """Whether two versions of a module differ outside of functions.

    An import that only one of them has does not count, for a rewrite that needs another module adds one. One that takes
    the same name from elsewhere does: `from math import sqrt` in place of `from cmath import sqrt`.
    """
    if _code_outside(before) != _code_outside(after):
        return True
    old, new = _imported(before), _imported(after)
    return any(old[name] != new[name] for name in old.keys() & new.keys()) or old.get("*") != new.get("*")


def _code_outside(text: str) -> str:
    """The code of a module without its functions, docstrings and imports."""
    try:
        return ast.dump(_OnlyOutside().visit(parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


class _OnlyOutside(ast.NodeTransformer):
    """Leaves functions, docstrings and imports away."""

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Import | ast.ImportFrom):
            return None
        return None if isinstance(node, ast.stmt) and _is_text(node) else self.generic_visit(node)


def _imported(text: str) -> dict[str, set[str]]:
    """The names that imports outside of functions bind, and from where; `*` for all of a module."""
    found: dict[str, set[str]] = {}
    try:
        nodes: list[ast.AST] = [parse(text)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                name, source = _bound_by(node, alias)
                found.setdefault(name, set()).add(source)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            nodes += ast.iter_child_nodes(node)
    return found


def _bound_by(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> tuple[str, str]:
    """The name that a part of an import binds, and what to; `import os.path` binds `os`."""
    if isinstance(node, ast.ImportFrom):
        return alias.asname or alias.name, f"{'.' * node.level}{node.module or ''} {alias.name}"
    top = alias.name.partition(".")[0]
    return (alias.asname, alias.name) if alias.asname else (top, top)


def line_of_syntax_error(data: bytes, last: int) -> int | None:
    """The line in which a file cannot be read as Python; None: it can, or none up to the `last` is known."""
    try:
        parse(decode(data))
    except SyntaxError as error:
        return error.lineno if error.lineno and error.lineno <= last else None
    return None


def codes_of_functions(text: str) -> dict[str, str]:
    """The syntax tree of each function without docstrings, by name; nothing of a text that is no Python.

    Raises:
        UsageError: it is nested too deeply.
    """
    found: dict[str, str] = {}
    try:
        _collect(parse(text).body, "", found)
    except (SyntaxError, ValueError):
        return {}
    except (RecursionError, MemoryError) as error:
        raise UsageError("it is nested too deeply, here or at the base") from error
    return found


def rebound_functions(before: str, after: str) -> dict[str, tuple[int, int]]:
    """The functions of one version whose names a new statement of another version binds, and its lines.

    Such as by `from .faster import f`, or by `f = g`, whether or not that version still defines the function as well.

    Raises:
        TargetError: the version before cannot be parsed.
    """
    try:
        old, new = parse(before), parse(after)
    except (SyntaxError, ValueError):
        return {}
    found = {}
    for name, _, _ in functions_in(before):
        known = {ast.dump(each) for each in bindings_without_def(old, name)}
        added = [each for each in bindings_without_def(new, name) if ast.dump(each) not in known]
        if added:
            found[name] = (added[-1].lineno, added[-1].end_lineno or added[-1].lineno)
    return found


def _collect(body: list[ast.stmt], prefix: str, found: dict[str, str]) -> None:
    for node in body:
        if isinstance(node, _DOCSTRING_OWNERS):
            if not isinstance(node, ast.ClassDef):
                found[prefix + node.name] = ast.dump(_without_words(node))
            else:
                _collect(node.body, f"{prefix}{node.name}.", found)
        else:
            for each in ast.iter_child_nodes(node):  # branches, and what stands under `except` and `case`
                if isinstance(each, ast.stmt):
                    _collect([each], prefix, found)
                elif isinstance(each, ast.ExceptHandler | ast.match_case):
                    _collect(each.body, prefix, found)


def _without_words(node: ast.stmt) -> ast.stmt:
    """Without docstrings, and without type hints where no decorator may read them."""
    for each in ast.walk(node):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and not each.decorator_list:
            each.returns = None
            for argument in ast.walk(each.args):
                if isinstance(argument, ast.arg):
                    argument.annotation = None
        if isinstance(each, _DOCSTRING_OWNERS) and len(each.body) > 1 and _is_text(each.body[0]):
            del each.body[0]
    return node


def _is_text(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def is_async(function_text: str) -> bool:
    """Whether the text of a function is one of `async def`."""
    try:
        return isinstance(parse(dedent(function_text)).body[0], ast.AsyncFunctionDef)
    except (SyntaxError, IndexError, RecursionError):
        return False

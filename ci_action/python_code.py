"""What Python code does, apart from its words: to tell a change of code from one of docstrings, layout and hints."""

from __future__ import annotations

import ast
import builtins
import io
import tokenize
from typing import TYPE_CHECKING, Any

from afterburner.agent import UsageError
from afterburner.agent.code.bindings import bindings_without_def
from afterburner.agent.code.locate import functions_in
from afterburner.agent.code.source_text import dedent, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

_DOCSTRING_OWNERS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BINDING = (ast.Import, ast.ImportFrom, *_DOCSTRING_OWNERS)
_BUILTINS = {name: (f"builtins.{name}",) for name in dir(builtins)}
_DEFINED = "here"  # by `def` or `class`


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
    a known name from elsewhere does: `from math import sqrt` in place of `from cmath import sqrt`, or `from numpy
    import sum` where `sum` was the builtin. An import in place of a function does not: it is a change of the function.
    """
    if _code_outside(before) != _code_outside(after):
        return True
    old, new = _BUILTINS | _bound(before), _BUILTINS | _bound(after)
    taken = (old[name] != new[name] for name in old.keys() & new.keys() if old[name] != (_DEFINED,))
    return any(taken) or old.get("*") != new.get("*")


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


def _bound(text: str) -> dict[str, tuple[str, ...]]:
    """What imports and definitions of the module bind, and to what at its end; `*` for all of a module.

    Of a name that is bound below `if`, `try` and the like, all that it may be.
    """
    found: dict[str, tuple[str, ...]] = {}
    try:
        for statement in parse(text).body:
            for name, source in _bound_by(statement):
                is_sure = isinstance(statement, _BINDING) and name != "*"
                found[name] = (source,) if is_sure else (*found.get(name, ()), source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return found


def _bound_by(statement: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that imports and definitions of a statement bind, and to what; `import os.path` binds `os`."""
    match statement:
        case ast.Import(names=names):
            for each in names:
                top = each.name.partition(".")[0]
                yield (each.asname, each.name) if each.asname else (top, top)
        case ast.ImportFrom(names=names, module=module, level=level):
            for each in names:
                yield each.asname or each.name, f"{'.' * level}{module or ''}{'.' if module else ''}{each.name}"
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, _DEFINED
        case ast.stmt() | ast.ExceptHandler() | ast.match_case():
            for inner in ast.iter_child_nodes(statement):
                yield from _bound_by(inner)


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

"""Where the statements of a function stand."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from afterburner.agent.code.source_text import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

# No code is made of these, or none that every interpreter tells the line of.
_WITHOUT_CODE = (ast.Pass, ast.Global, ast.Nonlocal, ast.Break, ast.Continue)


def statement_lines(source: str, first_line: int, last_line: int) -> list[tuple[int, int]]:
    """The first and the last line of each statement in the body of the function that stands on these lines.

    Of a statement with a block it is the lines before the block. Left out is what leaves no trace when it runs.
    """
    function = function_on_lines(source, first_line, last_line)
    if function is None:
        return []
    return sorted({lines for statement in function.body for lines in _lines_within(statement)})


def statement_ranges(source: str) -> dict[int, tuple[int, int]]:
    """The first and the last line of each statement, by its first; of a compound statement those of its header.

    Raises:
        SyntaxError: the text is not Python.
    """
    ranges: dict[int, tuple[int, int]] = {}
    for statement in parse(source).body:
        for first, last in _lines_within(statement):
            ranges[first] = (first, max(last, ranges.get(first, (first, last))[1]))
    return ranges


def function_on_lines(source: str, first_line: int, last_line: int) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The outermost function that stands on these lines, its decorators included."""
    for node in ast.walk(parse(source)):
        if (
            isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and node.lineno >= first_line
            and (node.end_lineno or 0) <= last_line
        ):
            return node
    return None


def _lines_within(statement: ast.stmt) -> Iterator[tuple[int, int]]:
    """Those of a statement and of all in its blocks."""
    inner = [node for node in ast.walk(statement) if isinstance(node, ast.stmt)]
    for node in inner:
        if not _leaves_no_trace(node):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
            body = getattr(node, "body", None) or getattr(node, "cases", None)
            header = _first_line_of(body[0]) - 1 if body else node.end_lineno or node.lineno
            yield first, max(first, header)


def _first_line_of(node: ast.stmt | ast.match_case) -> int:
    return node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno


def _leaves_no_trace(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, _WITHOUT_CODE) or (isinstance(node, ast.AnnAssign) and node.value is None)

"""Keeps what callers and readers see of a function: its header with annotations, its docstring, its decorators.

An optimisation changes how a function does its work. Its types and its documentation, with the doctests in it, are the
author's: models shorten them and leave them out, and a patch that does so is wrong however fast it is.
"""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING

from afterburner.agent.code import cst
from afterburner.agent.code.source_text import parse

if TYPE_CHECKING:
    from collections.abc import Sequence


def keep_interface(new: cst.FunctionDef, old: cst.FunctionDef) -> cst.FunctionDef:
    """Give the new function with the old one's docstring, decorators as they were written, and header.

    A docstring or annotation that the old one has not goes. Decorators that were added stay. Where the parameters, the
    name or the kind (`async`) are others, the header is the new one's: that is refused elsewhere.
    """
    body = _with_docstring(new.body, old)
    decorators = _written_as(old.decorators, new.decorators)
    if _header_key(new) != _header_key(old):
        return new.with_changes(body=body, decorators=decorators)
    if isinstance(body, cst.IndentedBlock) and isinstance(old.body, cst.IndentedBlock):
        body = body.with_changes(header=old.body.header)  # a comment behind the colon
    lines = old.lines_after_decorators if len(decorators) == len(old.decorators) else new.lines_after_decorators
    return old.with_changes(
        body=body, decorators=decorators, leading_lines=new.leading_lines, lines_after_decorators=lines
    )


def signature(arguments: ast.arguments) -> str:
    """Give parameters and defaults as text, without annotations."""
    bare = copy.deepcopy(arguments)
    for each in ast.walk(bare):
        if isinstance(each, ast.arg):
            each.annotation = None
    return ast.unparse(bare)


def _header_key(node: cst.FunctionDef) -> tuple[str, bool, str]:
    alone = node.with_changes(
        leading_lines=(), decorators=(), lines_after_decorators=(), body=cst.SimpleStatementSuite([cst.Pass()])
    )
    parsed = parse(cst.Module([]).code_for_node(alone)).body[0]
    if not isinstance(parsed, ast.FunctionDef | ast.AsyncFunctionDef):
        raise TypeError("a function's header was not read as one")
    return node.name.value, node.asynchronous is not None, signature(parsed.args)


def _written_as(old: Sequence[cst.Decorator], new: Sequence[cst.Decorator]) -> list[cst.Decorator]:
    """The new decorators; those that the old ones have too, as they were written there."""
    waiting = list(old)
    result = []
    for decorator in new:
        same = next((each for each in waiting if _code_key(each) == _code_key(decorator)), None)
        if same is not None:
            waiting.remove(same)
        result.append(decorator if same is None else same)
    return result


def _code_key(decorator: cst.Decorator) -> str:
    return ast.dump(parse(f"({cst.Module([]).code_for_node(decorator.decorator)}\n)"))


def _with_docstring(body: cst.BaseSuite, old: cst.FunctionDef) -> cst.BaseSuite:
    """Put the old docstring in the place of the new one."""
    first = _first_line(old.body) if old.get_docstring(clean=False) is not None else None
    lines = list(body.body) if isinstance(body, cst.IndentedBlock) else [_line(body.body)]
    has_docstring = cst.FunctionDef(cst.Name("_"), cst.Parameters(), body).get_docstring(clean=False) is not None
    if first is None and not has_docstring:
        return body
    rest = _without_first(lines) if has_docstring else lines
    if first is None and not rest:
        return body  # nothing else is there
    kept = [*([] if first is None else [first]), *rest]
    return body.with_changes(body=kept) if isinstance(body, cst.IndentedBlock) else cst.IndentedBlock(kept)


def _first_line(body: cst.BaseSuite) -> cst.SimpleStatementLine:
    """The docstring alone, with the comments around it, if it has a line of its own."""
    line = body.body[0] if isinstance(body, cst.IndentedBlock) else _line(body.body)
    if not isinstance(line, cst.SimpleStatementLine):
        raise TypeError("a docstring is a simple statement")
    if len(line.body) == 1:
        return line
    return _line(line.body[:1]).with_changes(leading_lines=line.leading_lines)


def _without_first(lines: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
    line = lines[0]
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) > 1:
        return [line.with_changes(body=line.body[1:]), *lines[1:]]
    return list(lines[1:])


def _line(statements: Sequence[cst.BaseStatement | cst.BaseSmallStatement]) -> cst.SimpleStatementLine:
    """Simple statements in a line of their own."""
    simple = [each for each in statements if isinstance(each, cst.BaseSmallStatement)]
    last = simple[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
    return cst.SimpleStatementLine([*simple[:-1], last])

"""Puts a rewrite in the place of its target; everything else in the file stays byte for byte."""

from __future__ import annotations

import ast
import contextlib
import io
import tokenize
from collections import defaultdict
from typing import TYPE_CHECKING

from afterburner.agent.code import cst
from afterburner.agent.code.additions import (
    Insertion,
    RewriteError,
    first_line_of,
    parse_code,
    plan_helpers,
    plan_imports,
    preamble_length,
    trimmed,
)
from afterburner.agent.code.answer_code import parse_answer_code
from afterburner.agent.code.bindings import module_bindings
from afterburner.agent.code.foreign_code import check_levels, most_levels
from afterburner.agent.code.index import function_code
from afterburner.agent.code.interface import keep_interface, signature
from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.line_matching import matching_pairs
from afterburner.agent.code.locate import function_source
from afterburner.agent.code.programs import place_program
from afterburner.agent.code.source_text import (
    indentation,
    line_end,
    lines_inside_strings,
    parse,
    same_code,
    split_lines,
    usual_line_end,
)
from afterburner.agent.code.unchanged import keep_unchanged

if TYPE_CHECKING:
    from afterburner.agent.types import Rewrite, Target

__all__ = ["RewriteError", "parse_answer_code", "same_code", "splice"]

_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def splice(target: Target, rewrite: Rewrite) -> str:
    """Give the new text of the target's file.

    Only the function's own lines are replaced, and of these not its docstring and annotations, nor those of statements
    that stay the same code, however the rewrite lays them out. Missing imports go to the top, helpers right before the
    function (or the class that it is in). A whole program is replaced as a whole.

    Raises:
        RewriteError: the rewrite is not Python, has another name or signature, drops a decorator, or binds a name
            that already means something else in the module, or it is nested too deeply.
    """
    if target.language != PYTHON:
        return place_program(target, rewrite)
    _check_levels(target, rewrite)
    text = _splice_program(target, rewrite) if target.function is None else _splice_function(target, rewrite)
    _check_encoding(target, text)
    return text


def _check_levels(target: Target, rewrite: Rewrite) -> None:
    most = most_levels(target.source)
    if target.function is None:
        check_levels(parse_code(rewrite.function, "program"), "program", most)
    else:
        check_levels(parse_code(trimmed(rewrite.function, "rewrite"), "rewrite"), "rewrite", most)
    for helper in rewrite.helpers:
        check_levels(parse_code(trimmed(helper, "helper"), "helper"), "helper", most)


def _splice_function(target: Target, rewrite: Rewrite) -> str:
    tree = parse(target.source)
    old = _function_at(tree, target)
    code = _only_function(rewrite.function, target)
    new = parse(code).body[0]
    if not isinstance(new, _FunctionNode):
        raise RewriteError("The rewrite is not a function.")
    _check_signature(old, new)
    lines = split_lines(target.source)
    anchor = _statement_at(tree, target.first_line)
    insertions = _plan(tree, lines, rewrite, anchor)
    span = lines[target.first_line - 1 : target.last_line]
    end = usual_line_end(lines)
    body = keep_unchanged(span, _layout(code, span, end), end)
    body[-1] = body[-1].rstrip("\r\n") + line_end(span[-1])
    text = _assemble(lines, insertions, (target.first_line, target.last_line, body))
    _check_rest(tree, text, insertions, old, new)
    return text


def _splice_program(target: Target, rewrite: Rewrite) -> str:
    text = rewrite.function
    old_lines = split_lines(target.source)
    if "\r" not in text:
        text = text.replace("\n", usual_line_end(old_lines))
    if line_end(old_lines[-1]) and not line_end(text[-2:]):
        text += usual_line_end(old_lines)
    text = "".join(keep_unchanged(old_lines, split_lines(text), usual_line_end(old_lines)))
    if not rewrite.imports and not rewrite.helpers:
        return text
    tree, lines = parse(text), split_lines(text)
    anchor = preamble_length(tree)
    while anchor < len(tree.body) - 1 and isinstance(tree.body[anchor], ast.Import | ast.ImportFrom):
        anchor += 1
    if anchor >= len(tree.body):
        raise RewriteError("The program has no statement to put the helpers before.")
    insertions = _plan(tree, lines, rewrite, anchor)
    text = _assemble(lines, insertions, None)
    _check_rest(tree, text, insertions, None, None)
    return text


def with_imports(text: str, imports: tuple[str, ...]) -> str:
    """Add imports to a module, among those at its top; what is imported there already is left out.

    Raises:
        RewriteError: the module is not Python, or an import's name means something else in it or as a builtin.
    """
    tree, lines = parse_code(text, "module"), split_lines(text)
    top = preamble_length(tree)
    while top < len(tree.body) - 1 and isinstance(tree.body[top], ast.Import | ast.ImportFrom):
        top += 1
    return _assemble(lines, plan_imports(tree, lines, imports, top), None)


def _plan(tree: ast.Module, lines: list[str], rewrite: Rewrite, anchor: int) -> list[Insertion]:
    imports = plan_imports(tree, lines, rewrite.imports, anchor)
    imported = set(module_bindings(statement for each in imports for statement in each.statements))
    return imports + plan_helpers(tree, lines, rewrite.helpers, anchor, imported)


def _only_function(text: str, target: Target) -> str:
    """Reduce the rewrite's text to its one function, indented in the way of the original, with its interface."""
    code = trimmed(text, "rewrite")
    parse_code(code, "rewrite")
    try:
        module = cst.parse_module(code)
        old = cst.parse_module(function_source(target))
    except (cst.ParserSyntaxError, RecursionError) as error:
        raise RewriteError(f"The rewrite cannot be parsed: {error}") from None
    functions = [node for node in module.body if isinstance(node, cst.FunctionDef)]
    if len(module.body) != 1 or not functions:
        raise RewriteError(
            "The rewrite has to be exactly one function; everything else belongs in imports and helpers."
        )
    if module.default_indent != old.default_indent:
        module = module.with_changes(default_indent=old.default_indent)
    original = old.body[0]
    function = keep_interface(functions[0], original) if isinstance(original, cst.FunctionDef) else functions[0]
    return function_code(module, function)


def _function_at(tree: ast.Module, target: Target) -> _FunctionNode:
    name = (target.function or "").rpartition(".")[2]
    for node in ast.walk(tree):
        if isinstance(node, _FunctionNode) and node.name == name and first_line_of(node) == target.first_line:
            return node
    raise RewriteError(f"{target.function} is not in line {target.first_line} of {target.path}.")


def _statement_at(tree: ast.Module, line: int) -> int:
    return max(index for index, statement in enumerate(tree.body) if first_line_of(statement) <= line)


def _check_signature(old: _FunctionNode, new: _FunctionNode) -> None:
    if new.name != old.name:
        raise RewriteError(f"The rewrite is called {new.name}, not {old.name}.")
    if type(new) is not type(old):
        kinds = {ast.FunctionDef: "def", ast.AsyncFunctionDef: "async def"}
        raise RewriteError(f"{old.name} is `{kinds[type(old)]}`, the rewrite is `{kinds[type(new)]}`.")
    before, after = signature(old.args), signature(new.args)
    if before != after:
        raise RewriteError(f"The rewrite changes the parameters of {old.name} from ({before}) to ({after}).")
    kept = iter([ast.dump(decorator) for decorator in new.decorator_list])
    for decorator in old.decorator_list:
        if ast.dump(decorator) not in kept:  # consumes, so that the order counts
            raise RewriteError(f"The rewrite drops the decorator @{ast.unparse(decorator)} of {old.name}.")


def _layout(code: str, span: list[str], end: str) -> list[str]:
    """Indent the new function like the old one, and take every line that is the same from there as it is."""
    prefix = indentation(span[0])
    inside_old = lines_inside_strings("".join(span))
    inside_new = lines_inside_strings(code)
    old_keys = [
        (line.rstrip("\r\n") if index in inside_old else line.rstrip("\r\n").removeprefix(prefix), index in inside_old)
        for index, line in enumerate(span)
    ]
    new_keys = [(line.rstrip("\r\n"), index in inside_new) for index, line in enumerate(split_lines(code))]
    result = [
        line if inside or not line.strip() else prefix + line  # what is inside a string is data
        for line, inside in new_keys
    ]
    result = [line + end for line in result]
    for old_index, new_index in matching_pairs(old_keys, new_keys):
        line = span[old_index]
        result[new_index] = line if line_end(line) else line + end
    last = result[-1]
    result[-1] = last.rstrip("\r\n") + line_end(span[-1])
    return result


def _assemble(lines: list[str], insertions: list[Insertion], span: tuple[int, int, list[str]] | None) -> str:
    end = usual_line_end(lines)
    result = list(lines)
    if span:
        first, last, body = span
        result[first - 1 : last] = body
    # From the bottom up, so that line numbers above stay true. Imports were planned first and stay above helpers.
    for _, insertion in sorted(enumerate(insertions), key=lambda each: (each[1].before, each[0]), reverse=True):
        result[insertion.before - 1 : insertion.before - 1] = [line + end for line in insertion.lines]
    return "".join(result)


def _check_rest(
    tree: ast.Module, text: str, insertions: list[Insertion], old: _FunctionNode | None, new: _FunctionNode | None
) -> None:
    """Prove that nothing but the function changed: compare statement by statement with what was meant.

    Raises:
        RewriteError: the result means something else; such a rewrite cannot be put in place.
    """
    added: dict[int, list[ast.stmt]] = defaultdict(list)
    for insertion in sorted(insertions, key=lambda each: each.before):
        added[insertion.position] += insertion.statements
    meant = [each for position, statement in enumerate(tree.body) for each in (*added[position], statement)]
    try:
        got = [ast.dump(statement) for statement in parse(text).body]
    except SyntaxError as error:
        raise RewriteError(f"The rewrite does not fit into the file, line {error.lineno}: {error.msg}.") from None
    if old is not None and new is not None:
        _replace(tree, old, new)
        meant = [new if statement is old else statement for statement in meant]
    if got != [ast.dump(statement) for statement in meant]:
        raise RewriteError("The rewrite cannot be put in place without changing something else in the file.")


def _replace(tree: ast.Module, old: _FunctionNode, new: _FunctionNode) -> None:
    for parent in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and old in block:
                block[block.index(old)] = new


def _check_encoding(target: Target, text: str) -> None:
    try:
        data = text.encode(target.encoding)
    except UnicodeEncodeError as error:
        raise RewriteError(f"The rewrite has characters that {target.encoding} lacks: {error}.") from None
    declared = ""
    with contextlib.suppress(SyntaxError):  # no declaration any more, and not UTF-8
        declared, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    if declared != target.encoding:
        raise RewriteError(f"The rewrite loses the file's coding declaration ({target.encoding}).")

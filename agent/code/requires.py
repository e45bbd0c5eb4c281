"""What a function's docstring requires of its arguments, where it says so in expressions.

    Requires:
        limits == sorted(limits)
        - `step > 0`, or the loop would not end.

Each line of the section is one: the expression in backticks that it starts with, else the whole line. Words can be
read as Python, too (`values is sorted`), so a line without backticks counts only if all its names are parameters, of
the module or builtins, and it compares nothing by `is` but None, True, False, types (`type(step) is int`) and
parameters with one another.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.code.bindings import module_bindings
from afterburner.agent.code.source_text import parse
from afterburner.agent.code.statements import function_on_lines
from afterburner.agent.option_kinds import LONGEST_STATED, MOST_STATED
from afterburner.agent.stated_assumptions import AS_CALLED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.types import Target

_HEADER = re.compile(r"requires:\s*(.*)", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*]\s+)?(?:(`+)(?P<quoted>.+?)\1.*|(?P<plain>.+?)\.?)\Z")


@dataclass(frozen=True, slots=True)
class Requirements:
    """The expressions over the parameters, and the lines that are none."""

    expressions: tuple[str, ...] = ()
    in_words: tuple[str, ...] = ()


def requirements_of(target: Target) -> Requirements:
    """What the docstring of the target's function says under `Requires:`."""
    function = function_on_lines(target.source, target.first_line, target.last_line)
    if target.function is None or function is None:
        return Requirements()
    given = function.args
    parameters = {
        each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg) if each
    }
    known = parameters | set(module_bindings(parse(target.source).body)) | {AS_CALLED, *dir(builtins)}
    expressions: list[str] = []
    in_words: list[str] = []
    for line in _items(inspect.cleandoc(ast.get_docstring(function, clean=False) or "")):
        found = _ITEM.match(line)
        text = (found["quoted"] or found["plain"]).strip() if found else line
        is_quoted = found is not None and found["quoted"] is not None
        has_room = len(text) <= LONGEST_STATED and len(expressions) < MOST_STATED
        if has_room and _is_about(text, parameters) and (is_quoted or _is_code(text, known, parameters)):
            expressions.append(text)
        else:
            in_words.append(line)
    return Requirements(tuple(expressions), tuple(in_words))


def _items(docstring: str) -> Iterator[str]:
    """The lines of the section, without their indentation."""
    lines = docstring.splitlines()
    for number, line in enumerate(lines):
        header = _HEADER.match(line.strip())
        if header is None:
            continue
        if header[1]:
            yield header[1].strip()
        indent = len(line) - len(line.lstrip())
        for item in lines[number + 1 :]:
            if not item.strip() or len(item) - len(item.lstrip()) <= indent:
                return
            yield item.strip()
        return


def _is_code(text: str, known: set[str], parameters: set[str]) -> bool:
    """Whether an expression is meant as one: it reads no name that nothing has, and `is` is no word of a sentence."""
    nodes = list(ast.walk(ast.parse(text, mode="eval")))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return {node.id for node in names} <= known | bound and not any(_is_sentence(node, parameters) for node in nodes)


def _is_sentence(node: ast.AST, parameters: set[str]) -> bool:
    """Whether it compares by `is` what a sentence may say: `values is sorted`, but not `type(values) is list`."""
    if not isinstance(node, ast.Compare):
        return False
    pairs = zip((node.left, *node.comparators), node.ops, node.comparators, strict=False)
    return any(
        isinstance(how, ast.Is | ast.IsNot)
        and not (_is_no_word(one) or _is_no_word(other))
        and not all(isinstance(each, ast.Name) and each.id in parameters for each in (one, other))
        for one, how, other in pairs
    )


def _is_no_word(node: ast.expr) -> bool:
    """Whether it is None, True, False, `type(x)` or `x.__class__`."""
    match node:
        case ast.Constant(value=bool() | None):
            return True
        case ast.Call(func=ast.Name(id="type"), args=[_], keywords=[]) | ast.Attribute(attr="__class__"):
            return True
    return False


def _is_about(text: str, parameters: set[str]) -> bool:
    """Whether it is an expression over the parameters that may be true or not: no lone name, no constant."""
    try:
        expression = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    names = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    return isinstance(expression, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call)) and bool(names & parameters)

"""Picks the target's function, with what it needs, out of the code that a model answered."""

from __future__ import annotations

import ast
from contextlib import suppress

from afterburner.agent.code import cst
from afterburner.agent.code.additions import RewriteError, first_line_of, parse_code, trimmed
from afterburner.agent.code.bindings import module_bindings, names_read
from afterburner.agent.code.foreign_code import check_levels, most_levels
from afterburner.agent.code.index import find_function, function_code, function_names
from afterburner.agent.code.interface import keep_interface
from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.locate import function_source
from afterburner.agent.code.programs import program_from_answer
from afterburner.agent.code.source_text import parse, split_lines
from afterburner.agent.types import Rewrite, Target


def parse_answer_code(code: str, target: Target) -> Rewrite:
    """Turn a model's code into a rewrite of the target.

    The code may be the function with imports and helpers around it, its whole class, or the whole file. Taken are
    the function and, of what stands at module level, the imports and new definitions that it uses. Annotations and
    docstring stay as they are, whatever the answer made of them.

    Raises:
        RewriteError: the code is not Python, lacks the function, or depends on a change outside of it.
    """
    if target.language != PYTHON:
        return program_from_answer(code)
    if target.function is None:
        return _whole_program(code)
    text = trimmed(code, "answer")
    tree = parse_code(text, "answer")
    check_levels(tree, "answer", most_levels(target.source))
    if not tree.body:
        raise RewriteError("The answer's code block holds no code.")
    try:
        module = cst.parse_module(text)
        name, node = _pick(module, target.function)
        function = function_code(module, _with_interface(node, target))
    except (cst.ParserSyntaxError, RecursionError) as error:
        raise RewriteError(f"The answer cannot be parsed: {error}") from None
    used = _needed(tree, name, _without_annotations(parse_code(trimmed(function, "answer"), "answer")), target)
    imports = tuple(ast.unparse(each) for each in used if isinstance(each, ast.Import | ast.ImportFrom))
    lines = split_lines(text)
    helpers = dict.fromkeys(
        "".join(lines[first_line_of(each) - 1 : each.end_lineno])
        for each in used
        if not isinstance(each, ast.Import | ast.ImportFrom)
    )
    return Rewrite(function, imports, tuple(helpers))


def _whole_program(code: str) -> Rewrite:
    """The code as it is: `splice` checks whether it is Python, and in the paper's selection it fails when it runs."""
    with suppress(RewriteError):  # it cannot even be split into tokens
        code = trimmed(code, "answer")
    return program_from_answer(code)


def _pick(module: cst.Module, qualname: str) -> tuple[str, cst.FunctionDef]:
    """Find the function under its full name, or as a method without its class around it; say which it was."""
    for name in (qualname, qualname.rpartition(".")[2]):
        found = find_function(module, name)
        if found is not None:
            return name, found
    names = ", ".join(function_names(module)[:8])
    raise RewriteError(f"The answer does not define {qualname}; it defines {names or 'no function'}.")


def _with_interface(node: cst.FunctionDef, target: Target) -> cst.FunctionDef:
    old = cst.parse_module(function_source(target)).body[0]
    return keep_interface(node, old) if isinstance(old, cst.FunctionDef) else node


def _without_annotations(function: ast.Module) -> ast.Module:
    """Leave out the annotations of the header: they are the file's, so what they need is there."""
    node = function.body[0]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        node.returns = None
        for each in ast.walk(node.args):
            if isinstance(each, ast.arg):
                each.annotation = None
    return function


def _needed(answer: ast.Module, qualname: str, function: ast.Module, target: Target) -> list[ast.stmt]:
    """Give the answer's module-level statements that the function needs and the file lacks, in their order.

    Args:
        answer: the whole answer.
        qualname: the name under which the function stands in the answer.
        function: the function taken from it.
        target: what it is to replace.

    Raises:
        RewriteError: the function needs a definition of the file that the answer changes.
    """
    name = qualname.partition(".")[0]
    file = parse(target.source)
    present = module_bindings(file.body)
    unchanged = {_bare(statement) for statement in file.body}
    binders: dict[str, list[int]] = {}  # which statements bind a name
    for index, statement in enumerate(answer.body):
        if not _is_future(statement) and not _defines(statement, name):
            for bound in set(module_bindings([statement])) - {name}:
                binders.setdefault(bound, []).append(index)
    needed: set[int] = set()
    waiting = sorted(names_read(function))
    seen = set(waiting)
    while waiting:
        read = waiting.pop()
        for index in binders.get(read, ()):
            statement = answer.body[index]
            if index in needed:
                continue
            if not isinstance(statement, ast.Import | ast.ImportFrom):
                if _bare(statement) in unchanged:
                    continue
                if read in present:
                    raise RewriteError(f"The answer also changes {read}, which is not part of {target.function}.")
            needed.add(index)
            fresh = names_read(statement) - seen
            seen |= fresh
            waiting += sorted(fresh)
    _check_class(answer, file, function, target)
    picked = [answer.body[index] for index in sorted(needed)]
    return [_only_used(each, seen) for each in picked]


def _defines(statement: ast.stmt, name: str) -> bool:
    """Tell whether this is the function itself (or its class), which by `global` may bind other names too."""
    return isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and statement.name == name


def _only_used(statement: ast.stmt, used: set[str]) -> ast.stmt:
    """Leave out the parts of an import that nothing uses."""
    if isinstance(statement, ast.Import):
        return ast.Import([a for a in statement.names if (a.asname or a.name.partition(".")[0]) in used])
    if isinstance(statement, ast.ImportFrom):
        names = [a for a in statement.names if (a.asname or a.name) in used]
        return ast.ImportFrom(statement.module, names, statement.level)
    return statement


def _check_class(answer: ast.Module, file: ast.Module, function: ast.Module, target: Target) -> None:
    """Refuse an answer that rewrote other members of the class which the function uses, or added some."""
    classes = (target.function or "").split(".")[:-1]
    new, old = _class_members(answer.body, classes), _class_members(file.body, classes)
    own = (target.function or "").rpartition(".")[2]
    used = {each.attr for each in ast.walk(function) if isinstance(each, ast.Attribute)} | {"__init__"}
    for name, code in new.items():
        if name != own and name in used and old.get(name) != code:
            change = "changes" if name in old else "adds"
            raise RewriteError(
                f"The answer also {change} {'.'.join([*classes, name])}, which is not part of {target.function}."
            )


def _class_members(body: list[ast.stmt], classes: list[str]) -> dict[str, str]:
    if not classes:
        return {}
    found: list[ast.stmt] = body
    for name in classes:
        inner = [node for node in found if isinstance(node, ast.ClassDef) and node.name == name]
        if not inner:
            return {}
        found = inner[-1].body
    return {name: _bare(statement) for statement in found for name in module_bindings([statement])}


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _bare(statement: ast.stmt) -> str:
    """Give a definition's code without docstrings and annotations, which models leave out or add."""
    copy = parse(ast.unparse(statement))
    for node in ast.walk(copy):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if ast.get_docstring(node) is not None and len(node.body) > 1:
                del node.body[0]
            if not isinstance(node, ast.ClassDef):
                node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.dump(copy)

"""The statements of a notebook: what each binds and needs, and which of them its module is made of.

A notebook mixes definitions with work on data. The judge imports a module again and again, so what stands at its top
level has to be there for the function, and must not repeat the work of the notebook.
"""

from __future__ import annotations

import ast
import symtable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from afterburner.agent.code.source_text import parse, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Pass)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_DOES_WORK = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.comprehension)
_MAKE_TYPES = frozenset({"namedtuple", "NamedTuple", "TypedDict", "NewType", "TypeVar", "Enum", "make_dataclass"})
_RUN_AT_ONCE = frozenset({"listcomp", "setcomp", "dictcomp", "genexpr"})


class Kind(Enum):
    """What statements do."""

    DEFINITION = "an import, a function, a class or a type"
    IMPORT_PATH = "where later imports look"
    CONSTANT = "a value that costs nothing"
    WORK = "anything else"


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements of a cell that share lines, mostly one.

    Attributes:
        first_line: of decorators, too, from 0.
        end_line: the first line behind them.
        kind: what they do.
        is_future: whether they are a `from __future__ import`.
        awaits: whether they need an event loop around them, as IPython has one.
        binds: the names of the module that they give a value.
        stores: the names whose items or attributes they set.
        calls: the names of which they call a method for its effect.
        needs_now: the names of the module that they need when they run.
        needs: likewise, with those that their functions need when these are called.
    """

    first_line: int
    end_line: int
    kind: Kind
    is_future: bool
    awaits: bool
    binds: frozenset[str]
    stores: frozenset[str]
    calls: frozenset[str]
    needs_now: frozenset[str]
    needs: frozenset[str]


def statements_of(text: str) -> list[Statements]:
    """The statements of a cell, which is Python but for an `await` outside of a function.

    Raises:
        SyntaxError: it is not.
    """
    text.encode()  # a lone surrogate is refused here, not in the module of all cells
    tree = parse(text)
    compile(tree, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    lines = split_lines(text)
    return [_described(nodes, lines) for nodes in _sharing_lines(tree.body)]


def of_module(statements: Sequence[Statements], functions: frozenset[str]) -> set[int]:
    """Which of the statements of a notebook its module is made of, by their indices; the others are its work.

    These are the functions and the import path with all that they need from the notebook, and each other definition
    that needs no work.

    Args:
        statements: of all cells, in their order.
        functions: the names of the functions, or of their classes.
    """
    kinds = [_kind_here(each, statements) for each in statements]
    paths = _named(each.needs for each in statements if each.kind is Kind.IMPORT_PATH)
    chosen = _with_needs(statements, functions | paths)
    others = {number for number, kind in enumerate(kinds) if kind is not Kind.WORK} - chosen
    while True:
        here = chosen | others
        bound = _bound_by(statements, here)
        work = _bound_by(statements, set(range(len(statements))) - here) - bound
        waiting = {number for number in others if statements[number].needs_now & work}
        if not waiting:
            return here
        others -= waiting


def _with_needs(statements: Sequence[Statements], functions: frozenset[str]) -> set[int]:
    """The statements that bind these names or change what they hold, with those that these need in turn."""
    variables = frozenset().union(*(each.binds for each in statements if each.kind is not Kind.DEFINITION))
    needed, chosen = set(functions), set[int]()
    while True:
        more = {
            number
            for number, each in enumerate(statements)
            if number not in chosen and needed & (each.binds | each.stores | (each.calls & variables))
        }
        if not more:
            return chosen
        chosen |= more
        needed |= _named(statements[number].needs for number in more)


def _kind_here(one: Statements, statements: Sequence[Statements]) -> Kind:
    """What statements do in a notebook: a name that is bound again is no constant."""
    if one.kind is Kind.CONSTANT and any(each is not one and each.binds & one.binds for each in statements):
        return Kind.WORK
    return one.kind


def _bound_by(statements: Sequence[Statements], numbers: set[int]) -> set[str]:
    return _named(statements[number].binds for number in numbers)


def _named(groups: Iterator[frozenset[str]]) -> set[str]:
    return set().union(*groups)


def _sharing_lines(body: Sequence[ast.stmt]) -> Iterator[list[ast.stmt]]:
    group: list[ast.stmt] = []
    for node in body:
        if group and _first_line(node) >= _end_line(group[-1]):
            yield group
            group = []
        group.append(node)
    if group:
        yield group


def _first_line(node: ast.stmt) -> int:
    lines: list[int] = [node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))]
    return min(lines) - 1


def _end_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _described(nodes: Sequence[ast.stmt], lines: Sequence[str]) -> Statements:
    first, end = _first_line(nodes[0]), _end_line(nodes[-1])
    top = symtable.symtable("".join(lines[first:end]), "<cell>", "exec")
    symbols = top.get_symbols()
    now = {each.get_name() for each in symbols if each.is_referenced()} | set(_outer_names(top, at_once=True))
    changed = [each for node in nodes for each in ast.walk(node)]
    return Statements(
        first,
        end,
        _kind(nodes),
        any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in nodes),
        any(map(_awaits, nodes)),
        frozenset(each.get_name() for each in symbols if each.is_assigned() or each.is_imported()),
        frozenset(filter(None, map(_stored_name, changed))),
        frozenset(filter(None, map(_called_name, nodes))),
        frozenset(now),
        frozenset(now | set(_outer_names(top, at_once=False))),
    )


def _outer_names(table: symtable.SymbolTable, *, at_once: bool) -> Iterator[str]:
    """The names of the module that inner scopes use; `at_once`: of those alone that run with the statement."""
    for inner in table.get_children():
        if at_once and inner.get_type() == "function" and inner.get_name() not in _RUN_AT_ONCE:
            continue
        yield from (each.get_name() for each in inner.get_symbols() if each.is_global() and each.is_referenced())
        yield from _outer_names(inner, at_once=at_once)


def _kind(nodes: Sequence[ast.stmt]) -> Kind:
    if all(map(_is_definition, nodes)):
        return Kind.DEFINITION
    if any(map(_sets_import_path, nodes)):
        return Kind.IMPORT_PATH
    if all(_is_definition(node) or _is_constant(node) for node in nodes):
        return Kind.CONSTANT
    # An import or a function on the line of what does work has to be there all the same.
    return Kind.DEFINITION if any(isinstance(node, _DEFINITIONS[:-1]) for node in nodes) else Kind.WORK


def _is_definition(node: ast.stmt) -> bool:
    if isinstance(node, ast.If):
        return _is_plain(node.test) and all(_is_definition(each) or _is_constant(each) for each in _inner(node))
    if isinstance(node, ast.Try):
        return all(_is_definition(each) or _is_constant(each) for each in _inner(node))
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        return ast.unparse(node.value.func).rpartition(".")[2] in _MAKE_TYPES
    return isinstance(node, _DEFINITIONS)


def _inner(node: ast.If | ast.Try) -> Iterator[ast.stmt]:
    yield from (*node.body, *node.orelse)
    if isinstance(node, ast.Try):
        yield from node.finalbody
        for handler in node.handlers:
            yield from handler.body


def _is_constant(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return all(isinstance(each, ast.Name | ast.Tuple) for each in targets) and (
        node.value is None or _is_plain(node.value)
    )


def _is_plain(value: ast.expr) -> bool:
    """Whether it only names, combines and writes down values."""
    return not any(isinstance(each, (ast.Call, *_DOES_WORK)) for each in ast.walk(value))


def _sets_import_path(node: ast.stmt) -> bool:
    """Whether it is `sys.path.append(…)`, `sys.path[:0] = …` or the like."""
    value: ast.AST | None = None
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        value = node.value.func
    elif isinstance(node, ast.Assign | ast.AugAssign):
        value = node.targets[0] if isinstance(node, ast.Assign) else node.target
    while isinstance(value, ast.Attribute | ast.Subscript):
        if isinstance(value, ast.Attribute) and value.attr == "path" and _root(value.value) == "sys":
            return True
        value = value.value
    return False


def _stored_name(node: ast.AST) -> str:
    """The variable whose item or attribute is set or deleted; empty: none is."""
    is_stored = isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)
    return _root(node) if is_stored else ""


def _called_name(node: ast.stmt) -> str:
    """The variable that a statement calls a method of, and nothing else; empty: it does something else."""
    call = node.value if isinstance(node, ast.Expr) else None
    call = call.value if isinstance(call, ast.Await) else call
    return _root(call.func) if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _awaits(node: ast.AST) -> bool:
    if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith):
        return True
    if isinstance(node, ast.comprehension) and node.is_async:
        return True
    return not isinstance(node, _FUNCTIONS) and any(map(_awaits, ast.iter_child_nodes(node)))

"""Which names a piece of code reads, binds and leaves free, and how two pieces are compared."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_EMPTY = cst.Module([])


def text(node: cst.CSTNode) -> str:
    """Write a node as source, without the space around it."""
    return _EMPTY.code_for_node(node).strip()


def canonical(expression: cst.BaseExpression) -> str:
    """Write an expression so that two spellings of the same tree give the same text."""
    source = f"({text(expression)}\n)"
    try:
        return ast.unparse(ast.parse(source, mode="eval"))
    except (SyntaxError, ValueError, RecursionError):  # syntax newer than the running interpreter's
        return source


def operand(expression: cst.BaseExpression) -> str:
    """Write an expression so that it can stand beside any operator."""
    written = text(expression)
    atoms = (cst.Name, cst.Attribute, cst.Subscript, cst.Call, cst.BaseNumber, cst.BaseString, cst.Tuple, cst.List)
    return written if isinstance(expression, atoms) or expression.lpar else f"({written})"


def same(first: cst.BaseExpression, second: cst.BaseExpression) -> bool:
    """Tell whether two expressions are the same tree, whatever their spaces and brackets."""
    return first is second or canonical(first) == canonical(second)


def target_names(target: cst.CSTNode) -> list[str]:
    """Give the names that an assignment target binds; `x[0]` and `x.a` bind none."""
    return [name.value for name in _names_of_targets(target)]


@dataclass(slots=True)
class Names:
    """How often each name is read and bound in a piece of code, whatever nested function it stands in."""

    reads: Counter[str] = field(default_factory=Counter)
    binds: Counter[str] = field(default_factory=Counter)
    shared: set[str] = field(default_factory=set)  # declared global or nonlocal

    @property
    def all(self) -> set[str]:
        """Every name that occurs."""
        return {*self.reads, *self.binds, *self.shared}


def names_in(*nodes: cst.CSTNode) -> Names:
    """Collect the names of these pieces of code together."""
    names = Names()
    known: set[cst.CSTNode] = set()
    for node in (below for root in nodes for below in walk(root)):
        for target in _bound_targets(node):
            for name in _names_of_targets(target):
                known.add(name)
                names.binds[name.value] += 1
                if isinstance(node, cst.AugAssign):
                    names.reads[name.value] += 1
        known.update(_not_names(node))
        if isinstance(node, cst.Global | cst.Nonlocal):
            names.shared.update(item.name.value for item in node.names)
        if isinstance(node, cst.Name) and node not in known:
            names.reads[node.value] += 1
    return names


def fresh_name(wanted: str, taken: Iterable[str]) -> str:
    """Give `wanted`, or with a number behind it if it is taken; never a name that the code knows."""
    used = set(taken)
    if wanted not in used:
        return wanted
    number = 2
    while f"{wanted}_{number}" in used:
        number += 1
    return f"{wanted}_{number}"


def _bound_targets(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """Give the targets that this very node binds, not those of what it encloses."""
    match node:
        case cst.AssignTarget() | cst.AugAssign() | cst.AnnAssign() | cst.For() | cst.CompFor() | cst.NamedExpr():
            yield node.target
        case cst.Del():
            yield node.target
        case cst.AsName() | cst.Param() | cst.FunctionDef() | cst.ClassDef() | cst.TypeAlias():
            yield node.name
        case cst.TypeVar() | cst.TypeVarTuple() | cst.ParamSpec() | cst.MatchAs() | cst.MatchStar():
            yield node.name
        case cst.MatchMapping():
            yield node.rest
        case cst.ImportAlias() if node.asname is None:
            root: cst.BaseExpression = node.name
            while isinstance(root, cst.Attribute):
                root = root.value
            yield root
        case _:
            return


def _not_names(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Give the `Name` nodes below this one that spell an attribute, a keyword or a module."""
    match node:
        case cst.Attribute():
            yield node.attr
        case cst.Arg(keyword=cst.Name() as keyword) | cst.MatchKeywordElement(key=keyword):
            yield keyword
        case cst.ImportAlias():
            yield from walk(node.name)
        case cst.ImportFrom(module=cst.BaseExpression() as module):
            yield from walk(module)
        case cst.Global() | cst.Nonlocal():
            yield from (item.name for item in node.names)
        case _:
            return


def _names_of_targets(target: cst.CSTNode | None) -> Iterator[cst.Name]:
    if isinstance(target, cst.Name):
        yield target
    elif isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            yield from _names_of_targets(element.value)
    elif isinstance(target, cst.StarredElement):
        yield from _names_of_targets(target.value)

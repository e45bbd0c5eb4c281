"""Small mistakes put into a correct function: each mutant has one."""

from __future__ import annotations

import ast
import copy
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq, ast.GtE),
    ast.NotEq: (ast.Eq, ast.Gt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_COMPUTED: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.FloorDiv, ast.Add),
    ast.Div: (ast.FloorDiv, ast.Mult),
    ast.FloorDiv: (ast.Div, ast.Mult),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitOr,),
}
_NAMED = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "list": "sorted", "abs": "int",
          "lower": "upper", "lstrip": "strip", "append": "remove", "sum": "max", "int": "round"}  # fmt: skip


def mutants_of(source: str) -> Iterator[str]:
    """The text with one small change each, in the order of the places."""
    tree = ast.parse(source)
    for place, node in enumerate(ast.walk(tree)):
        for variant in range(len(_changes(node))):
            changed = copy.deepcopy(tree)
            victim = next(each for at, each in enumerate(ast.walk(changed)) if at == place)
            _changes(victim)[variant]()
            yield ast.unparse(ast.fix_missing_locations(changed)) + "\n"


def _changes(node: ast.AST) -> list[Callable[[], None]]:
    """What can be done to this node, in place."""
    return [*_of_operators(node), *_of_values(node)]


def _of_operators(node: ast.AST) -> Iterator[Callable[[], None]]:
    match node:
        case ast.Compare(ops=[operator]):
            for compared in _COMPARED.get(type(operator), ()):
                yield partial(setattr, node, "ops", [compared()])
        case ast.BinOp(op=operator) | ast.AugAssign(op=operator):
            for computed in _COMPUTED.get(type(operator), ()):
                yield partial(setattr, node, "op", computed())
        case ast.BoolOp(op=operator):
            yield partial(setattr, node, "op", ast.Or() if isinstance(operator, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield partial(setattr, node, "op", ast.UAdd())


def _of_values(node: ast.AST) -> Iterator[Callable[[], None]]:
    match node:
        case ast.Constant(value=bool(value)):
            yield partial(setattr, node, "value", not value)
        case ast.Constant(value=int(value) | float(value)):
            for step in (1, -1):
                yield partial(setattr, node, "value", value + step)
        case ast.Name(id=name, ctx=ast.Load()) if name in _NAMED:
            yield partial(setattr, node, "id", _NAMED[name])
        case ast.Attribute(attr=name, ctx=ast.Load()) if name in _NAMED:
            yield partial(setattr, node, "attr", _NAMED[name])
        case ast.IfExp(test=test):
            yield partial(setattr, node, "test", ast.UnaryOp(ast.Not(), test))
        case ast.Continue() | ast.Break():
            yield partial(setattr, node, "__class__", ast.Pass)  # a statement without parts becomes another

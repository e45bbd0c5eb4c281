"""Where something that a loop computes again and again can be computed once, and the helpers that this needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.free_names import fresh_name, text
from afterburner.agent.rules.analysis.tree import Function, outermost_comprehension

if TYPE_CHECKING:
    from afterburner.agent.rules.analysis.effects import Effects
    from afterburner.agent.rules.analysis.resolve import Resolver
    from afterburner.agent.rules.analysis.tree import Tree


def regions_of(tree: Tree, node: cst.CSTNode) -> list[cst.CSTNode]:
    """Give what evaluates the node again and again, from the inside out: comprehensions as one, then each loop."""
    holder = outermost_comprehension(tree, node)
    return [*([holder] if holder else []), *tree.loops(holder or node)]


def statement_before(tree: Tree, region: cst.CSTNode) -> cst.BaseStatement | None:
    """Give the statement before which something can be put that is to happen once for the region; None if none can."""
    line = tree.line(region)
    if line is None or isinstance(line, Function) or tree.function(region) is not tree.function(line):
        return None
    # The test of a `while` runs more than once, and what stands before an `elif` runs too early.
    return line if line is region or not isinstance(line, cst.While) else None


def outermost_stable(
    tree: Tree, node: cst.CSTNode, expression: cst.BaseExpression, effects: Effects
) -> cst.CSTNode | None:
    """Give the outermost region around the node in which a pure expression keeps its value."""
    found = None
    for region in regions_of(tree, node):
        if not effects.is_stable(expression, effects.changes(region)):
            break
        found = region
    return found


def helper(name: str, source: str, resolver: Resolver) -> tuple[str, tuple[str, ...]]:
    """Give the name of a helper function, and its definition unless the file has it already."""
    definition = source.replace("NAME", name)
    if any(text(function) == definition for function in resolver.functions(name)):
        return name, ()
    free = fresh_name(name, resolver.names.all)
    return free, (source.replace("NAME", free),)


def stand_in(tree: Tree, node: cst.BaseExpression, name: str) -> cst.Name:
    """Give a name to put in the place of an expression, in brackets where `f(x)if y` leaves no room for it."""
    around, written = text(tree.parents[node]), text(node)
    start = around.find(written)
    neighbours = around[max(start - 1, 0) : start] + around[start + len(written) : start + len(written) + 1]
    if not node.lpar and any(each.isalnum() or each in "_'\"" for each in neighbours):
        return cst.Name(name, lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.Name(name, lpar=node.lpar, rpar=node.rpar)

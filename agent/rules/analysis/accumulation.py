"""Finds loops that only build one thing: a start value, and below it a loop that adds to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.edits import small_statement
from afterburner.agent.rules.analysis.free_names import target_names, text
from afterburner.agent.rules.analysis.tree import contains
from afterburner.agent.rules.analysis.uses import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.rules.analysis.scope import Analysis, Region

_LEAVES_OR_WAITS = (cst.Yield, cst.Await, cst.NamedExpr)


@dataclass(frozen=True, slots=True)
class Accumulation:
    """`name = start`, then `for …: if …: step` in the same block, with nothing of `name` in between."""

    name: str
    start: cst.Assign | cst.AnnAssign
    value: cst.BaseExpression
    loop: cst.For
    clauses: str  # "for x in xs if x > 0", as a comprehension writes it
    step: cst.BaseSmallStatement

    def replace_start(self, value: str) -> cst.Assign | cst.AnnAssign:
        """The start with another value; an annotation stays."""
        return self.start.with_changes(value=cst.parse_expression(value))


def accumulations(analysis: Analysis, region: Region) -> Iterator[Accumulation]:
    """Give the loops of a region that only build one variable, without nested functions and handlers."""
    for loop in analysis.tree.find(cst.For):
        if analysis.region_of(loop) is not region or contains(loop, *_LEAVES_OR_WAITS):
            continue
        taken_apart = take_apart(loop)
        if taken_apart is None or _is_guarded(analysis, loop) or not _targets_end_with(analysis, region, loop):
            continue
        clauses, step = taken_apart
        for name in analysis.variables(region):
            found = _start_of(analysis, region, loop, name)
            if found is not None and analysis.occurrences(name, step):
                yield Accumulation(name, found[0], found[1], loop, clauses, step)


def take_apart(loop: cst.For) -> tuple[str, cst.BaseSmallStatement] | None:
    """Write nested `for` and `if` that lead to one simple statement as the clauses of a comprehension."""
    clauses: list[str] = []
    statement: cst.CSTNode = loop
    while isinstance(statement, cst.For | cst.If):
        if statement.orelse is not None:
            return None
        if isinstance(statement, cst.For):
            if statement.asynchronous is not None:
                return None
            clauses.append(f"for {text(statement.target)} in {_operand(statement.iter)}")
        else:
            clauses.append(f"if {_operand(statement.test)}")
        body = statement.body.body
        if len(body) != 1:
            return None
        statement = body[0]
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        return " ".join(clauses), statement.body[0]
    return (" ".join(clauses), statement) if isinstance(statement, cst.BaseSmallStatement) else None


def has_comment(node: cst.CSTNode) -> bool:
    """Whether a comment would get lost if the node were written anew."""
    return isinstance(node, cst.Comment) or any(map(has_comment, node.children))


def _operand(expression: cst.BaseExpression) -> str:
    """A comprehension needs brackets around what a statement may have without them."""
    needs = isinstance(expression, cst.IfExp | cst.Lambda | cst.Tuple) and not expression.lpar
    return f"({text(expression)})" if needs else text(expression)


def _start_of(
    analysis: Analysis, region: Region, loop: cst.For, name: str
) -> tuple[cst.Assign | cst.AnnAssign, cst.BaseExpression] | None:
    """The assignment above the loop, in the same block, with nothing of the variable between them."""
    block = list(analysis.tree.block(loop))
    above = block[: block.index(loop)] if loop in block else []
    for statement in reversed(above):
        if not analysis.occurrences(name, statement):
            continue
        uses = [use for use in analysis.uses(name, region) if analysis.tree.within(use.name, statement)]
        if len(uses) == 1 and uses[0].kind is Kind.BIND and uses[0].value is not None:
            start = small_statement(analysis.tree, uses[0].name)
            is_plain = isinstance(start, cst.AnnAssign) or (isinstance(start, cst.Assign) and len(start.targets) == 1)
            if is_plain and isinstance(start, cst.Assign | cst.AnnAssign):
                return start, uses[0].value
        return None
    return None


def _is_guarded(analysis: Analysis, loop: cst.For) -> bool:
    """Whether a handler could see what was built before an exception."""
    return any(isinstance(ancestor, cst.Try | cst.TryStar | cst.With) for ancestor in analysis.tree.ancestors(loop))


def _targets_end_with(analysis: Analysis, region: Region, loop: cst.For) -> bool:
    """Whether nobody outside the loop uses its variables: a comprehension keeps them to itself."""
    names: set[str] = set()
    nodes: list[cst.CSTNode] = [loop]
    while nodes:
        node = nodes.pop()
        if isinstance(node, cst.For):
            names.update(target_names(node.target))
        if isinstance(node, cst.For | cst.If):
            nodes.extend(node.body.body)
    return all(
        len(analysis.occurrences(name, loop)) == len(analysis.occurrences(name, region))
        and name not in analysis.names(region).shared
        for name in names
    )

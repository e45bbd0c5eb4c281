"""Before which line a thing can be made once that a loop or comprehension makes, or goes through, again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis_uses import Kind
from afterburner.agent.rules.tree import Comprehension, Function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.rules.analysis import Analysis, Region, Repeat
    from afterburner.agent.rules.effects import Effects


def steady_repeats(
    analysis: Analysis, effects: Effects, node: cst.CSTNode, expression: cst.BaseExpression
) -> list[Repeat]:
    """Give the loops and comprehensions around a node, from the inside out, in which an expression keeps its value.

    Those that may be left in their middle do not count: other code could change what the expression reads.
    """
    found: list[Repeat] = []
    if not effects.is_pure(expression):
        return found
    for repeat in analysis.repeats(node):
        is_steady = effects.is_stable(expression, effects.changes(repeat))
        if not is_steady or not analysis.is_eager(repeat) or analysis.yields(repeat):
            break
        found.append(repeat)
    return found


def line_before(
    analysis: Analysis, region: Region, repeats: Sequence[Repeat], expression: cst.BaseExpression
) -> cst.BaseStatement | None:
    """Give the statement before which the expression has the value that it has in these repeats; None if none has."""
    line = analysis.tree.line(repeats[-1]) if repeats else None
    if line is None or isinstance(line, Function) or analysis.region_of(line) is not region:
        return None
    # What stands before a `while` is not evaluated again with its test.
    if isinstance(line, cst.While) and line not in repeats and analysis.tree.within(repeats[-1], line.test):
        return None
    return line if _is_bound_above(analysis, region, expression, line) else None


def _is_bound_above(
    analysis: Analysis, region: Region, expression: cst.BaseExpression, line: cst.BaseStatement
) -> bool:
    names, own = analysis.names(expression), analysis.names(region)
    inside = [each for each in analysis.tree.ancestors(expression) if isinstance(each, Comprehension)]
    for name in names.reads:
        if name in names.binds or name in own.shared or not own.binds[name]:
            continue
        if any(analysis.names(each).binds[name] for each in inside):
            return False
        binds = [use for use in analysis.uses(name, region) if use.kind in {Kind.BIND, Kind.REBIND}]
        if not any(analysis.before(use.name, line) for use in binds):
            return False
    return True

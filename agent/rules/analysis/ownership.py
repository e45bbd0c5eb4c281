"""Whether a variable's object is the function's own at a place, so that it may be changed where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.edits import small_statement
from afterburner.agent.rules.analysis.tree import Comprehension
from afterburner.agent.rules.analysis.uses import Kind, Use, consumes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.rules.analysis.scope import Analysis

# Read the object at once and give no other name to it.
READS = frozenset((
    Kind.LENGTH, Kind.TRUTH, Kind.MEMBER, Kind.INDEX, Kind.SLICE, Kind.CONSUME, Kind.LOOK, Kind.ADD, Kind.SPREAD,
    Kind.RETURN, Kind.STORE_ITEM, Kind.AUGMENT,
))  # fmt: skip
_VIEWS = frozenset(("items", "keys", "values"))


def keeps_name(analysis: Analysis, use: Use) -> bool:
    """Tell whether a use of a variable leaves its object without another name, or something that goes through it."""
    if use.kind is Kind.METHOD and use.method not in _VIEWS:
        return True
    if use.kind is Kind.ITERATE:
        return not isinstance(use.holder, cst.CompFor) or _is_eager(analysis, use.holder)
    if use.kind is Kind.LAZY or use.kind is Kind.METHOD:
        return _is_gone_through(analysis, use.call)
    return use.kind in READS


def goes_through(analysis: Analysis, use: Use, statement: cst.CSTNode) -> bool:
    """Tell whether a loop over the variable holds the statement: it must not see what the statement adds."""
    if use.kind not in {Kind.ITERATE, Kind.LAZY} and use.method not in _VIEWS:
        return False
    return any(
        isinstance(ancestor, cst.For)
        and analysis.tree.within(use.name, ancestor.iter)
        and analysis.tree.within(statement, ancestor.body)
        for ancestor in analysis.tree.ancestors(use.name)
    )


def is_renewed(analysis: Analysis, starts: Sequence[Use], escape: cst.CSTNode, change: cst.CSTNode) -> bool:
    """Tell whether the variable always gets an object of its own between an escape of the old one and a change."""
    tree = analysis.tree
    shared = [loop for loop in tree.loops(change) if tree.within(escape, loop)]
    if analysis.before(change, escape) and not shared:
        return True
    for start in starts:
        statement = small_statement(tree, start.name)
        line = tree.line(statement) if statement is not None else None
        block = tree.parents.get(line) if line is not None else None
        if line is None or block is None or not analysis.before(line, change) or not tree.within(change, block):
            continue
        is_between = analysis.before(change, escape) or analysis.before(escape, line)
        if is_between and all(tree.within(line, loop) for loop in shared):
            return True
    return False


def _is_gone_through(analysis: Analysis, call: cst.Call) -> bool:
    """Tell whether what a call gives, a view or an iterator, is used up where it stands."""
    parent = analysis.tree.parents.get(call)
    if isinstance(parent, cst.For):
        return parent.iter is call
    if isinstance(parent, cst.CompFor):
        return parent.iter is call and _is_eager(analysis, parent)
    if isinstance(parent, cst.Arg):
        outer = analysis.tree.parents.get(parent)
        return isinstance(outer, cst.Call) and not parent.star and consumes(analysis.resolver, outer)
    return isinstance(parent, cst.ComparisonTarget)


def _is_eager(analysis: Analysis, clause: cst.CompFor) -> bool:
    for ancestor in analysis.tree.ancestors(clause):
        if isinstance(ancestor, Comprehension):
            return analysis.is_eager(ancestor)
    return False

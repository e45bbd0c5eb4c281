"""Searches through a sequence: a loop that does nothing for most elements, because a test comes first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.free_names import names_in, target_names, text
from afterburner.agent.rules.analysis.tree import Comprehension, Function, Tree, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from afterburner.agent.rules.analysis.effects import Effects
    from afterburner.agent.rules.analysis.resolve import Resolver


@dataclass(frozen=True, slots=True)
class Test:
    """A condition that has to hold, or with `negated` not to hold, before an element matters."""

    expression: cst.BaseExpression
    negated: bool = False


@dataclass(slots=True)
class Scan:
    """One loop, or one `for` of a comprehension, with the tests that stand before anything that can be noticed."""

    node: cst.For | cst.CompFor
    tests: list[Test] = field(default_factory=list)
    aliases: dict[str, cst.BaseExpression] = field(default_factory=dict)  # assigned above the tests

    @property
    def names(self) -> set[str]:
        """What changes from element to element."""
        return {*target_names(self.node.target), *self.aliases}


def find_scans(tree: Tree, effects: Effects, resolver: Resolver, *, in_lists: bool = False) -> Iterator[Scan]:
    """Give every search of a scope whose target is made of plain names; with `in_lists` also `x in [… for …]`."""
    for node in walk(tree.scope):
        if not isinstance(node, cst.For | cst.CompFor) or node.asynchronous is not None:
            continue
        if not _is_plain(node.target):
            continue
        scan = Scan(node)
        if isinstance(node, cst.For):
            _read_body(node.body.body, scan, effects)
            if not all(is_private(tree, node, name) for name in scan.names):
                continue
        else:
            scan.tests += [test for clause in node.ifs for test in split_test(clause.test)]
            scan.tests += _outcome_tests(tree, node, resolver)
            scan.tests += _equality(tree, node) if in_lists else []
        if scan.tests:
            yield scan


def _is_plain(target: cst.BaseExpression) -> bool:
    if isinstance(target, cst.Tuple | cst.List):
        return all(isinstance(each, cst.Element) and _is_plain(each.value) for each in target.elements)
    return isinstance(target, cst.Name)


def split_test(expression: cst.BaseExpression, *, negated: bool = False) -> Iterator[Test]:
    """Take `a and b`, or with `negated` what makes `a or b` false, apart."""
    if isinstance(expression, cst.UnaryOperation) and isinstance(expression.operator, cst.Not):
        yield from split_test(expression.expression, negated=not negated)
    elif isinstance(expression, cst.BooleanOperation) and isinstance(
        expression.operator, cst.Or if negated else cst.And
    ):
        yield from split_test(expression.left, negated=negated)
        yield from split_test(expression.right, negated=negated)
    else:
        yield Test(expression, negated)


def _read_body(body: Sequence[cst.BaseStatement | cst.BaseSmallStatement], scan: Scan, effects: Effects) -> None:
    """Collect the tests at the head of a loop's body: `if a != b: continue`, or one `if` around all the rest.

    What is assigned below the last test is no part of the search: `found = item` in front of a `break`.
    """
    aliases: dict[str, cst.BaseExpression] = {}
    for position, statement in enumerate(body):
        alias = _alias(statement, effects)
        if alias is not None and alias[0] not in {*scan.names, *aliases}:
            aliases[alias[0]] = alias[1]
            continue
        if not isinstance(statement, cst.If):
            return
        if _is_only(statement.body, cst.Continue) and statement.orelse is None:
            scan.tests += split_test(statement.test, negated=True)
            scan.aliases |= aliases
        elif position == len(body) - 1 and _does_nothing(statement.orelse):
            scan.tests += split_test(statement.test)
            scan.aliases |= aliases
            _read_body(statement.body.body, scan, effects)
            return
        else:
            return


def _alias(
    statement: cst.BaseStatement | cst.BaseSmallStatement, effects: Effects
) -> tuple[str, cst.BaseExpression] | None:
    """Give the name and value of `name = value`, if the value only computes."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    small = statement.body[0]
    if not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return None
    target = small.targets[0].target
    if not isinstance(target, cst.Name) or not effects.is_pure(small.value):
        return None
    return target.value, small.value


def _is_only(body: cst.BaseSuite, *kinds: type[cst.BaseSmallStatement]) -> bool:
    """Tell whether a block is one statement of these kinds."""
    inner = body.body
    if len(inner) != 1:
        return False
    only = inner[0]
    if isinstance(only, cst.SimpleStatementLine):
        return len(only.body) == 1 and isinstance(only.body[0], kinds)
    return isinstance(only, kinds)


def _does_nothing(orelse: cst.If | cst.Else | None) -> bool:
    return orelse is None or (isinstance(orelse, cst.Else) and _is_only(orelse.body, cst.Continue, cst.Pass))


def _outcome_tests(tree: Tree, node: cst.CompFor, resolver: Resolver) -> list[Test]:
    """Read `any(test for …)`, `sum(test for …)` and `all(not test for …)`: elements that fail the test do not count."""
    holder = tree.parents[node]
    if node.inner_for_in is not None or not isinstance(holder, cst.GeneratorExp | cst.ListComp):
        return []
    arg = tree.parents[holder]
    call = tree.parents[arg] if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call) or len(call.args) != 1:
        return []
    function = resolver.qualified(call.func)
    if function == "builtins.all":
        return list(split_test(holder.elt, negated=True))
    if function == "builtins.any":
        return list(split_test(holder.elt))
    is_comparison = isinstance(holder.elt, cst.Comparison)
    return [Test(holder.elt)] if function == "builtins.sum" and is_comparison else []


def _equality(tree: Tree, node: cst.CompFor) -> list[Test]:
    """Read `x in [… for …]`: elements that do not equal `x` do not count."""
    holder = tree.parents[node]
    target = tree.parents[holder]
    search = tree.parents[target] if isinstance(target, cst.ComparisonTarget) else None
    if node.inner_for_in is not None or not isinstance(holder, cst.ListComp) or not isinstance(search, cst.Comparison):
        return []
    is_search = len(search.comparisons) == 1 and isinstance(search.comparisons[0].operator, cst.In | cst.NotIn)
    if not is_search or names_in(search.left).all & set(target_names(node.target)):
        return []
    return [Test(cst.Comparison(search.left, [cst.ComparisonTarget(cst.Equal(), holder.elt)]))]


def is_private(tree: Tree, loop: cst.For, name: str) -> bool:
    """Tell whether nothing outside the loop reads what the loop leaves in this name."""
    return not is_read_outside(tree, loop, name)


def is_read_outside(
    tree: Tree, loop: cst.For | cst.While | cst.With, name: str, but: Collection[cst.CSTNode] = ()
) -> bool:
    """Tell whether a name that a statement changes is used elsewhere, but where that does not matter."""
    owner = tree.function(loop)
    for node in walk(tree.scope if isinstance(owner, cst.Module) else owner):
        if not isinstance(node, cst.Name) or node.value != name or not _is_variable(tree, node):
            continue
        orelse = None if isinstance(loop, cst.With) else loop.orelse
        is_inside = tree.within(node, loop) and not (orelse and tree.within(node, orelse))
        if not is_inside and not any(each in but or _rebinds(each, name, loop) for each in tree.ancestors(node)):
            return True
    return False


def _rebinds(node: cst.CSTNode, name: str, loop: cst.CSTNode) -> bool:
    if isinstance(node, cst.For) and node is not loop:
        return name in target_names(node.target)
    if isinstance(node, Comprehension):
        return name in names_in(node.for_in).binds
    if isinstance(node, Function):
        names = names_in(node)
        return name in names.binds and name not in names.shared and not _holds(node, loop)
    return False


def _holds(node: cst.CSTNode, wanted: cst.CSTNode) -> bool:
    return any(below is wanted for below in walk(node))


def _is_variable(tree: Tree, name: cst.Name) -> bool:
    """Tell a variable from the name of an attribute or a keyword."""
    parent = tree.parents.get(name)
    if isinstance(parent, cst.Attribute):
        return parent.attr is not name
    return not (isinstance(parent, cst.Arg) and parent.keyword is name)


def describe(expression: cst.BaseExpression) -> str:
    """Give a word for an expression, fit to be part of a name."""
    for node in walk(expression):
        if isinstance(node, cst.Attribute):
            return node.attr.value.strip("_") or "value"
        if isinstance(node, cst.SimpleString) and text(node)[1:-1].isidentifier():
            return text(node)[1:-1]
    return "value"

"""A list that comes from outside, and that a loop searches and adds to, gets a set beside it for that loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.aliases import path_of
from afterburner.agent.rules.analysis.edits import is_repeatable
from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.free_names import fresh_name, text
from afterburner.agent.rules.analysis.places import regions_of, statement_before
from afterburner.agent.rules.analysis.resolve import resolver_of
from afterburner.agent.rules.analysis.shapes import assigned_values
from afterburner.agent.rules.analysis.tree import Edits, Tree, walk
from afterburner.agent.rules.analysis.uses import is_stored, is_truth_test
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from afterburner.agent.rules.analysis.aliases import Path
    from afterburner.agent.rules.analysis.resolve import Resolver

_MADE_HERE = (cst.List, cst.ListComp, cst.Tuple)


class CompanionSet:
    """Search a set that grows along with an object's list or a list argument.

    Before::

        for address in addresses:
            if address not in self.known:
                self.known.append(address)

    After::

        known_set = set(self.known)
        for address in addresses:
            if address not in known_set:
                self.known.append(address)
                known_set.add(address)
    """

    name = "companion-set"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every list that a loop does nothing with but search it, look at it and append to it."""
        resolver = resolver_of(rule_input.module)
        if resolver.spelled("builtins.set") is None:
            return None
        tree, edits = Tree(rule_input.scope), Edits()
        effects = Effects(resolver, rule_input.scope)
        done: dict[tuple[cst.CSTNode, Path], str] = {}
        for comparison in tree.find(cst.Comparison):
            searched = _searched(comparison)
            path = path_of(searched) if searched is not None else None
            if searched is None or path is None or _is_made_here(path, tree, searched):
                continue
            found = _outermost(tree, searched, path, effects, resolver)
            if found is None or (found.loop, path) in done:
                continue
            wanted = f"{path[-1].strip('_') or 'searched'}_set"
            name = done[found.loop, path] = fresh_name(wanted, {*resolver.names.all, *done.values()})
            found.change(name, edits)
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


@dataclass(frozen=True, slots=True)
class _Grown:
    """A loop with the places where it searches a list, and the statements that append to the list."""

    owner: str
    loop: cst.CSTNode
    line: cst.BaseStatement
    searches: list[cst.BaseExpression]
    appends: list[tuple[cst.SimpleStatementLine, cst.Call]]

    def change(self, name: str, edits: Edits) -> None:
        """Make the set before the loop, search it, and add to it what is appended."""
        edits.insert_before(self.line, f"{name} = set({self.owner})")
        for search in self.searches:
            edits.replace(search, cst.Name(name))
        for line, call in self.appends:
            added = call.args[0].value
            again = text(added) if is_repeatable(added) else f"{self.owner}[-1]"
            edits.insert_after(line, f"{name}.add({again})")


def _searched(comparison: cst.Comparison) -> cst.BaseExpression | None:
    if len(comparison.comparisons) != 1:
        return None
    only = comparison.comparisons[0]
    return only.comparator if isinstance(only.operator, cst.In | cst.NotIn) else None


def _is_made_here(path: Path, tree: Tree, node: cst.CSTNode) -> bool:
    """Tell whether the list is a variable that starts as a display: another rule knows more of it."""
    values = list(assigned_values(tree.function(node), path[0])) if len(path) == 1 else []
    return bool(values) and all(isinstance(value, _MADE_HERE) for value in values)


def _outermost(
    tree: Tree, searched: cst.BaseExpression, path: Path, effects: Effects, resolver: Resolver
) -> _Grown | None:
    """Give the outermost loop around a search that treats the list in ways that a set can follow."""
    best: _Grown | None = None
    for region in regions_of(tree, searched):
        if not isinstance(region, cst.For | cst.While):
            continue
        found = _grown(tree, region, searched, path, resolver)
        if found is None:
            break
        calls = [call for _, call in found.appends]
        if not effects.is_stable(searched, effects.changes(region, leave_out=calls)):
            break
        best = found if found.appends else best
    return best


def _grown(
    tree: Tree, loop: cst.For | cst.While, searched: cst.BaseExpression, path: Path, resolver: Resolver
) -> _Grown | None:
    """Sort the places where a loop uses the list; None if a set could not follow one of them."""
    line = statement_before(tree, loop)
    if line is None or any(isinstance(node, cst.Yield | cst.Await) for node in walk(loop)):
        return None
    searches: list[cst.BaseExpression] = []
    appends: list[tuple[cst.SimpleStatementLine, cst.Call]] = []
    for node in walk(loop):
        if not isinstance(node, cst.Name | cst.Attribute) or path_of(node) != path or _is_label(tree, node):
            continue
        if tree.function(node) is not tree.function(loop):
            return None
        appended = _appended(tree, node)
        comparison = tree.parents.get(tree.parents[node])
        if appended is not None:
            appends.append(appended)
        elif isinstance(comparison, cst.Comparison) and _searched(comparison) is node:
            searches.append(node)
        elif not _is_look(tree, node, resolver):
            return None
    return _Grown(text(searched), loop, line, searches, appends)


def _is_label(tree: Tree, node: cst.CSTNode) -> bool:
    """Tell the name of an attribute or a keyword from a variable."""
    parent = tree.parents.get(node)
    return (isinstance(parent, cst.Attribute) and parent.attr is node) or (
        isinstance(parent, cst.Arg) and parent.keyword is node
    )


def _appended(tree: Tree, node: cst.CSTNode) -> tuple[cst.SimpleStatementLine, cst.Call] | None:
    """Give the statement and the call of `node.append(x)`, if that is all there is on the line."""
    method = tree.parents[node]
    call = tree.parents.get(method)
    if not isinstance(method, cst.Attribute) or method.attr.value != "append" or not isinstance(call, cst.Call):
        return None
    expression = tree.parents.get(call)
    line = tree.parents.get(expression) if isinstance(expression, cst.Expr) else None
    if call.func is not method or not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return None
    if len(call.args) != 1 or call.args[0].keyword is not None or call.args[0].star:
        return None
    return line, call


def _is_look(tree: Tree, node: cst.CSTNode, resolver: Resolver) -> bool:
    """Tell whether the list is only looked at: its length, its truth, one of its elements."""
    parent = tree.parents[node]
    if isinstance(parent, cst.Subscript):
        return parent.value is node and not is_stored(tree, parent) and not isinstance(tree.parents[parent], cst.Del)
    if isinstance(parent, cst.Arg):
        return resolver.is_call(tree.parents[parent], "builtins.len")
    return is_truth_test(tree, node) or isinstance(parent, cst.Return)

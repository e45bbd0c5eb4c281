"""What the rounds of an outer loop ask for again, for the same values of an inner one, is computed once for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.free_names import canonical, fresh_name, names_in, target_names, text
from afterburner.agent.rules.analysis.places import helper, regions_of, stand_in, statement_before
from afterburner.agent.rules.analysis.resolve import resolver_of
from afterburner.agent.rules.analysis.shapes import makes_mutable, may_be_iterator
from afterburner.agent.rules.analysis.tree import Comprehension, Edits, Tree, children, walk
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.rules.analysis.resolve import Resolver

_REMEMBERED = '''def NAME(compute):
    """Give a function that computes once for the same whole numbers and texts; for anything else, each time."""
    results = {}

    def remember(*keys):
        if any(type(key) not in (int, str) for key in keys):
            return compute(*keys)
        if keys not in results:
            results[keys] = compute(*keys)
        return results[keys]

    return remember'''

_BUILTINS = ("any", "int", "str", "type")
_GO_THROUGH = frozenset(("all", "any", "max", "min", "sorted", "sum"))  # of one argument
_SEARCHES = frozenset(("count", "index"))
_MOST_KEYS = 2


class RememberResults:
    """Compute a result once for each column, letter or the like, instead of again in every row.

    Results are kept only for ints and strings, because equal ones give the same result.

    Before::

        for row in rows:
            for i, cell in enumerate(row):
                width = max(len(other[i]) for other in rows)
                print(cell.ljust(width))

    After::

        width_of = _remembered(lambda i: max(len(other[i]) for other in rows))
        for row in rows:
            for i, cell in enumerate(row):
                width = width_of(i)
                print(cell.ljust(width))
    """

    name = "remember-results"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every expression that goes through something that no round changes."""
        resolver = resolver_of(rule_input.module)
        if not all(resolver.spelled(f"builtins.{name}") for name in _BUILTINS):
            return None
        tree, edits = Tree(rule_input.scope), Edits()
        finder = _Finder(tree, Effects(resolver, rule_input.scope), resolver)
        remembered, definition = helper("_remembered", _REMEMBERED, resolver)
        made: dict[tuple[cst.CSTNode, str], str] = {}
        for found in finder.search(rule_input.scope):
            signature = (found.place, canonical(found.expression))
            if signature not in made:
                wanted = f"{_word(found.expression, tree)}_of"
                name = made[signature] = fresh_name(wanted, {*resolver.names.all, *made.values()})
                compute = f"lambda {', '.join(found.keys)}: {_unbracketed(found.expression)}"
                edits.insert_before(found.place, f"{name} = {remembered}({compute})")
            call = f"{made[signature]}({', '.join(found.keys)})"
            edits.replace(found.expression, _call_in_place(tree, found.expression, call))
        return RuleOutput(edits.apply(rule_input.scope), (), definition) if edits else None


@dataclass(frozen=True, slots=True)
class _Repeated:
    """An expression that depends on nothing but `keys`, from `place` on until the loop there is over."""

    expression: cst.BaseExpression
    keys: tuple[str, ...]
    place: cst.BaseStatement


class _Finder:
    def __init__(self, tree: Tree, effects: Effects, resolver: Resolver) -> None:
        self._tree, self._effects, self._resolver = tree, effects, resolver

    def search(self, node: cst.CSTNode) -> Iterator[_Repeated]:
        """Give the expressions of the kind below a node: of those in one another, the largest with the fewest keys."""
        inner = [found for child in children(node) for found in self.search(child)]
        found = self._repeated(node) if isinstance(node, cst.BaseExpression) else None
        if found is not None and all(len(found.keys) <= len(each.keys) for each in inner):
            yield found
        else:
            yield from inner

    def _repeated(self, node: cst.BaseExpression) -> _Repeated | None:
        if not self._is_worth(node):
            return None
        best: _Repeated | None = None
        for region in regions_of(self._tree, node):
            keys = self._keys(node, region)
            if keys is None:
                break
            place = statement_before(self._tree, region)
            if place is not None and 0 < len(keys) <= _MOST_KEYS and self._come_again(keys, region):
                best = _Repeated(node, keys, place)
            elif best is not None:
                break
        return best

    def _is_worth(self, node: cst.BaseExpression) -> bool:
        """Tell whether the expression goes through something, and gives nothing that could be changed later."""
        if not self._takes_long(node) or isinstance(node, cst.GeneratorExp) or not self._effects.is_pure(node):
            return False
        if isinstance(self._tree.function(node), cst.ClassDef | cst.Lambda) or makes_mutable(node, self._resolver):
            return False
        names = names_in(node).reads
        return not any(may_be_iterator(cst.Name(name), self._tree.scope, self._resolver) for name in names)

    def _takes_long(self, node: cst.BaseExpression) -> bool:
        if not isinstance(node, cst.Call | cst.BinaryOperation | cst.Comparison | cst.Subscript):
            return False
        return any(
            isinstance(below, Comprehension) or (isinstance(below, cst.Call) and self._goes_through(below))
            for below in walk(node)
        )

    def _goes_through(self, call: cst.Call) -> bool:
        qualified = self._resolver.qualified(call.func)
        if qualified is not None:
            return qualified.removeprefix("builtins.") in _GO_THROUGH and len(call.args) == 1
        name = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
        if not isinstance(name, cst.Name):
            return False
        functions = self._resolver.functions(name.value)
        if isinstance(call.func, cst.Attribute) and not functions:
            return name.value in _SEARCHES
        loops = (cst.For, cst.While, Comprehension)
        return any(isinstance(below, loops) for function in functions for below in walk(function.body))

    def _keys(self, node: cst.BaseExpression, region: cst.CSTNode) -> tuple[str, ...] | None:
        """Give the names on which alone the value depends in this region; None if it depends on more."""
        if any(isinstance(below, cst.Yield | cst.Await) for below in walk(region)):
            return None
        names, changes = names_in(node), self._effects.changes(region)
        free = [name for name in names.reads if name not in names.binds]
        keys = tuple(name for name in free if name in changes.binds)
        changes.binds -= set(keys)
        return keys if self._effects.is_stable(node, changes) else None

    def _come_again(self, keys: tuple[str, ...], region: cst.CSTNode) -> bool:
        """Tell whether all of these names are given by loops that run anew in each round of the region."""
        given = {
            name
            for node in walk(region)
            if isinstance(node, cst.For | cst.CompFor) and node is not region and not self._is_first(node, region)
            for name in target_names(node.target)
        }
        binds = names_in(region).binds
        return all(key in given and binds[key] == 1 for key in keys)

    @staticmethod
    def _is_first(node: cst.For | cst.CompFor, region: cst.CSTNode) -> bool:
        return isinstance(region, Comprehension) and node is region.for_in


def _word(expression: cst.BaseExpression, tree: Tree) -> str:
    """Give a name for the value: the one that it is assigned to, if it is."""
    parent = tree.parents.get(expression)
    if isinstance(parent, cst.Assign) and isinstance(parent.targets[0].target, cst.Name):
        return parent.targets[0].target.value
    return "value"


def _unbracketed(expression: cst.BaseExpression) -> str:
    """Write an expression as the last part of a call's only argument."""
    return text(expression.with_changes(lpar=[], rpar=[]))


def _call_in_place(tree: Tree, expression: cst.BaseExpression, call: str) -> cst.BaseExpression:
    """Write the call with the brackets that the expression's place needs."""
    name = stand_in(tree, expression, "name")
    return cst.parse_expression(call).with_changes(lpar=name.lpar, rpar=name.rpar)

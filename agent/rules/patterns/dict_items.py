"""A loop over keys that looks each of them up goes through the items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.aliases import path_of
from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.free_names import fresh_name, names_in, same, text
from afterburner.agent.rules.analysis.places import stand_in
from afterburner.agent.rules.analysis.resolve import resolver_of
from afterburner.agent.rules.analysis.shapes import assigned_values
from afterburner.agent.rules.analysis.tree import Comprehension, Edits, Function, Tree, walk
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.rules.analysis.resolve import Resolver

_MAKERS = ("builtins.dict", "collections.Counter", "collections.OrderedDict", "collections.defaultdict")
_NAMES = frozenset(("Counter", "DefaultDict", "Dict", "OrderedDict", "defaultdict", "dict"))


class DictItems:
    """Read key and value together.

    Before::

        for name in prices:
            total += prices[name] * amounts[name]

    After::

        for name, prices_value in prices.items():
            total += prices_value * amounts[name]
    """

    name = "dict-items"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat loops over `d.keys()`, or over `d` where the text shows that it is a dictionary."""
        resolver = resolver_of(rule_input.module)
        tree, edits = Tree(rule_input.scope), Edits()
        effects = Effects(resolver, rule_input.scope)
        taken = set(resolver.names.all)
        for loop in walk(rule_input.scope):
            if not isinstance(loop, cst.For | cst.CompFor) or loop.asynchronous is not None:
                continue
            table = _table(loop.iter, tree, resolver)
            if table is None or not isinstance(loop.target, cst.Name):
                continue
            repeated = list(_repeated(loop, tree))
            found = [node for part in repeated for node in _look_ups(part, table, loop.target.value)]
            changes = effects.changes(*repeated)
            if not found or loop.target.value in changes.binds or not effects.is_stable(table, changes):
                continue
            if any(tree.function(node) is not tree.function(loop) or not _is_read(node, tree) for node in found):
                continue
            value = fresh_name(f"{(path_of(table) or ('',))[-1].strip('_')}_value", taken)
            taken.add(value)
            edits.replace(loop.target, _pair(loop.target.value, value))
            edits.replace(loop.iter, cst.parse_expression(f"{text(table)}.items()"))
            for node in found:
                edits.replace(node, stand_in(tree, node, value))
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


def _pair(key: str, value: str) -> cst.Tuple:
    return cst.Tuple([cst.Element(cst.Name(key)), cst.Element(cst.Name(value))], lpar=[], rpar=[])


def _table(iterated: cst.BaseExpression, tree: Tree, resolver: Resolver) -> cst.BaseExpression | None:
    """Give the dictionary whose keys a loop goes through."""
    if isinstance(iterated, cst.Call) and isinstance(iterated.func, cst.Attribute) and not iterated.args:
        owner = iterated.func.value
        return owner if iterated.func.attr.value == "keys" and path_of(owner) else None
    if isinstance(iterated, cst.Name) and _is_dictionary(iterated.value, tree, resolver):
        return iterated
    return None


def _is_dictionary(name: str, tree: Tree, resolver: Resolver) -> bool:
    """Tell whether every value that the scope gives a name is a dictionary, or its annotation says so."""
    values = list(assigned_values(tree.scope, name))
    made = all(isinstance(value, cst.Dict | cst.DictComp) or resolver.is_call(value, *_MAKERS) for value in values)
    parameters = [node for node in tree.find(cst.Param) if node.name.value == name]
    annotated = all(node.annotation and names_in(node.annotation).all & _NAMES for node in parameters)
    bound = names_in(tree.scope).binds[name]
    return made and annotated and bound > 0 and bound == len(values) + len(parameters)


def _repeated(loop: cst.For | cst.CompFor, tree: Tree) -> Iterator[cst.CSTNode]:
    """Give what is evaluated once for each key."""
    if isinstance(loop, cst.For):
        yield loop.body
        return
    yield from loop.ifs
    if loop.inner_for_in is not None:
        yield loop.inner_for_in
    holder = next(node for node in tree.ancestors(loop) if isinstance(node, Comprehension))
    if isinstance(holder, cst.DictComp):
        yield from (holder.key, holder.value)
    else:
        yield holder.elt


def _look_ups(part: cst.CSTNode, table: cst.BaseExpression, key: str) -> Iterator[cst.Subscript]:
    for node in walk(part):
        if isinstance(node, cst.Subscript) and len(node.slice) == 1 and same(node.value, table):
            index = node.slice[0].slice
            if isinstance(index, cst.Index) and text(index.value) == key:
                yield node


def _is_read(node: cst.Subscript, tree: Tree) -> bool:
    """Tell whether the item is read, not assigned or deleted."""
    parent = tree.parents.get(node)
    if isinstance(parent, cst.AssignTarget | cst.AnnAssign | cst.AugAssign | cst.Del | cst.For | cst.CompFor):
        return getattr(parent, "target", None) is not node and not isinstance(parent, cst.Del)
    return not isinstance(parent, cst.Element | Function) or not _is_target(parent, tree)


def _is_target(element: cst.CSTNode, tree: Tree) -> bool:
    """Tell whether a tuple's element is assigned to."""
    above = tree.parents.get(element)
    while isinstance(above, cst.Tuple | cst.List | cst.Element | cst.StarredElement):
        element, above = above, tree.parents.get(above)
    return isinstance(above, cst.AssignTarget | cst.Del) or (
        isinstance(above, cst.For | cst.CompFor) and above.target is element
    )

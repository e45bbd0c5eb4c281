"""A search through all pairs of `itertools.combinations` looks the second of each pair up in a dictionary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.aliases import path_of
from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.free_names import fresh_name, names_in, text
from afterburner.agent.rules.analysis.places import statement_before
from afterburner.agent.rules.analysis.resolve import resolver_of
from afterburner.agent.rules.analysis.scan_keys import Key, find_key
from afterburner.agent.rules.analysis.scans import Scan, describe, find_scans
from afterburner.agent.rules.analysis.shapes import may_be_iterator
from afterburner.agent.rules.analysis.tree import Comprehension, Edits, Tree
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from afterburner.agent.rules.analysis.resolve import Resolver


class PairCombinations:
    """Form only the pairs that pass the test, in the same order.

    Before::

        for a, b in combinations(lengths, 2):
            if a + b == wanted:
                found.append((a, b))

    After::

        lengths_by_value = {}
        try:
            for place, b in enumerate(lengths[:]):
                lengths_by_value.setdefault(b, []).append((place, b))
            if any(type(b) is not int for b in lengths):  # only ints add up exactly
                lengths_by_value = None
        except Exception:  # the plain loop below fails where it always did
            lengths_by_value = None
        for a, b in (
            (a, b)
            for first, a in enumerate(lengths)
            for place, b in lengths_by_value.get(wanted - a, ())
            if place > first
        ) if lengths_by_value and type(wanted) is int else combinations(lengths, 2):
            if a + b == wanted:
                found.append((a, b))
    """

    name = "pair-combinations"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat loops and comprehensions over `combinations(x, 2)` whose test compares the two."""
        resolver = resolver_of(rule_input.module)
        needed = ("any", "enumerate", "int", "type", "Exception")
        if not all(resolver.spelled(f"builtins.{name}") for name in needed):
            return None
        tree, edits = Tree(rule_input.scope), Edits()
        effects = Effects(resolver, rule_input.scope)
        taken = set(resolver.names.all)
        for scan in find_scans(tree, effects, resolver):
            pairs = _find(scan, tree, effects, resolver)
            if pairs is None:
                continue
            word = (path_of(pairs.values) or ("values",))[-1].strip("_")
            name = fresh_name(f"{word}_by_{describe(pairs.key.element)}", taken)
            place, first = fresh_name("place", {*taken, name}), fresh_name("first", {*taken, name})
            taken |= {name, place, first}
            edits.insert_before(pairs.before, pairs.building(name, place))
            edits.replace(scan.node.iter, pairs.narrowed(scan, name, place, first))
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


@dataclass(frozen=True, slots=True)
class _Pairs:
    """All pairs of `values`, named by `one` and `other`, of which the test lets few pass."""

    values: cst.BaseExpression
    one: str
    other: str
    key: Key
    before: cst.BaseStatement

    def building(self, name: str, place: str) -> str:
        """Write the statements that build the dictionary, or None in its place; a slice needs a real sequence."""
        values, element, other = text(self.values), text(self.key.element), self.other
        lines = [
            f"{name} = {{}}",
            "try:",
            f"    for {place}, {other} in enumerate({values}[:]):",
            f"        {name}.setdefault({element}, []).append(({place}, {other}))",
        ]
        if self.key.exact:
            lines.append(f"    if any(type({element}) is not int for {other} in {values}):  # only ints add up exactly")
            lines.append(f"        {name} = None")
        lines += ["except Exception:  # the plain loop below fails where it always did", f"    {name} = None"]
        return "\n".join(lines)

    def narrowed(self, scan: Scan, name: str, place: str, first: str) -> cst.BaseExpression:
        """Write the pairs that have a chance, if there is a dictionary, and all pairs otherwise."""
        # What does not depend on the first of the pair is an operand that has to be an int; the first itself is one,
        # like all elements.
        fixed = [part for part in self.key.exact if self.one not in names_in(part).all]
        checked = [f"type({text(part)})" for part in fixed if not isinstance(part, cst.Integer)]
        condition = f"{name} and {' is '.join([*checked, 'int'])}" if checked else name
        written = (
            f"(({self.one}, {self.other})\n    for {first}, {self.one} in enumerate({text(self.values)})\n"
            f"    for {place}, {self.other} in {name}.get({text(self.key.question)}, ())\n    if {place} > {first})"
        )
        return cst.parse_expression(f"(\n    {written}\n    if {condition}\n    else {text(scan.node.iter)}\n)")


def _find(scan: Scan, tree: Tree, effects: Effects, resolver: Resolver) -> _Pairs | None:
    node = scan.node
    values = _paired(node.iter, tree, resolver)
    names = [element.value for element in node.target.elements] if isinstance(node.target, cst.Tuple) else []
    if values is None or len(names) != 2 or not all(isinstance(name, cst.Name) for name in names):
        return None
    one, other = (text(name) for name in names)
    inside = effects.changes(node.body if isinstance(node, cst.For) else node)
    inside.binds -= scan.names
    key = find_key(scan, effects, inside, resolver, {*scan.names} - {one})
    region = node if isinstance(node, cst.For) else _holder(node, tree)
    before = statement_before(tree, region) if region is not None else None
    if key is None or before is None or region is None or names_in(key.element).all & {one}:
        return None
    changes = effects.changes(region)
    if not effects.is_stable(values, changes):
        return None
    changes.binds -= scan.names
    if not effects.is_stable(key.element, changes) or not _is_exact(key, one):
        return None
    return _Pairs(values, one, other, key, before)


def _paired(iterated: cst.BaseExpression, tree: Tree, resolver: Resolver) -> cst.BaseExpression | None:
    """Give the values in `combinations(values, 2)`."""
    if not isinstance(iterated, cst.Call) or not resolver.is_call(iterated, "itertools.combinations"):
        return None
    if len(iterated.args) != 2 or any(arg.star or arg.keyword for arg in iterated.args):
        return None
    values, size = (arg.value for arg in iterated.args)
    if text(size) != "2" or path_of(values) is None or may_be_iterator(values, tree.scope, resolver):
        return None
    return values


def _holder(node: cst.CompFor, tree: Tree) -> cst.CSTNode | None:
    """Give the comprehension, unless it is in a function or comprehension whose names it may use."""
    holder = next(each for each in tree.ancestors(node) if isinstance(each, Comprehension))
    is_nested = any(isinstance(each, Comprehension) for each in tree.ancestors(holder))
    return None if is_nested or holder.for_in is not node else holder


def _is_exact(key: Key, one: str) -> bool:
    """Tell whether the types of all operands can be checked: the first of the pair as it is, and what is fixed."""
    return all(text(part) == one or one not in names_in(part).all for part in key.exact)

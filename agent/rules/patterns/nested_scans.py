"""A search inside a loop looks its elements up in a dictionary that is built once."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from afterburner.agent.rules.analysis.aliases import base_path
from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.free_names import canonical, fresh_name, names_in, operand, text
from afterburner.agent.rules.analysis.places import regions_of, statement_before
from afterburner.agent.rules.analysis.resolve import Resolver, resolver_of
from afterburner.agent.rules.analysis.scan_keys import Key, find_key
from afterburner.agent.rules.analysis.scan_space import Space, find_spaces
from afterburner.agent.rules.analysis.scans import Scan, describe, find_scans
from afterburner.agent.rules.analysis.tree import Edits, Tree, walk
from afterburner.agent.rules.rule import RuleInput, RuleOutput

_NOT_WORDS = {"enumerate", "int", "len", "range", "reversed", "self", "sorted", "str", "tuple", "zip"}
_LONG = 80  # characters after which an expression gets lines of its own
_BUILTINS = ("any", "int", "len", "range", "type", "Exception")


class NestedScans:
    """Visit only the elements with the key that the test asks for.

    The body of the loop and its test stay as they are; elements that fail the test are no longer visited.
    If a key cannot be computed or hashed, the plain loop runs and fails where it did before.

    Before::

        for order in orders:
            for customer in customers:
                if customer.id == order.customer:
                    print(order.name, customer.name)

    After::

        customers_by_id = {}
        try:
            for customer in customers:
                customers_by_id.setdefault(customer.id, []).append(customer)
        except Exception:
            customers_by_id = None
        for order in orders:
            for customer in customers_by_id.get(order.customer, ()) if customers_by_id else customers:
                if customer.id == order.customer:
                    print(order.name, customer.name)
    """

    name = "nested-scans"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Give every search in a loop its dictionary, built before the outermost loop that leaves it valid."""
        resolver = resolver_of(rule_input.module)
        if not all(resolver.spelled(f"builtins.{name}") for name in _BUILTINS):
            return None
        tree, edits = Tree(rule_input.scope), Edits()
        effects = Effects(resolver, rule_input.scope)
        indexes: dict[tuple[object, ...], str] = {}
        taken = set(resolver.names.all)
        for scan in find_scans(tree, effects, resolver):
            found = _plan(scan, tree, effects, resolver)
            if found is None:
                continue
            name = indexes.get(found.signature)
            if name is None:
                name = indexes[found.signature] = fresh_name(found.wanted_name, taken)
                taken.add(name)
                edits.insert_before(found.place, found.building(name))
            edits.replace(scan.node.iter, found.narrowed(name))
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


@dataclass(frozen=True, slots=True)
class _Plan:
    """How one search is narrowed: where its dictionary is built, from what, and what is looked up in it."""

    scan: Scan
    key: Key
    space: Space
    place: cst.BaseStatement

    @property
    def signature(self) -> tuple[object, ...]:
        """Two searches with one signature share a dictionary."""
        built_from = canonical(self.space.everything), canonical(self.key.element)
        return (self.place, self.space.target, *built_from, bool(self.key.exact))

    @property
    def wanted_name(self) -> str:
        """Give the name that a reader would expect: `customers_by_id`."""
        sources = (self.space.everything, self.key.element)
        if isinstance(self.space.everything, cst.Call) and text(self.space.everything.func) == "range":
            sources = (self.key.element, self.space.everything)
        paths = (base_path(node) for source in sources for node in walk(source))
        path = next((path for path in paths if path and path[-1] not in _NOT_WORDS), ("items",))
        return f"{path[-1].strip('_') or 'items'}_by_{describe(self.key.element)}"

    def building(self, name: str) -> str:
        """Write the statements that build the dictionary, or None in its place."""
        target = self.space.target
        item = f"({target})" if "," in target and not target.startswith(("(", "[")) else target
        element = text(self.key.element)
        loop = f"for {target} in {text(self.space.everything)}"
        lines = [f"{name} = {{}}", "try:", f"    {loop}:", f"        {name}.setdefault({element}, []).append({item})"]
        if self.key.exact:
            lines.append(f"    if any(type({element}) is not int {loop}):  # only ints add up exactly")
            lines.append(f"        {name} = None")
        lines += ["except Exception:  # the plain loop below fails where it always did", f"    {name} = None"]
        return "\n".join(lines)

    def narrowed(self, name: str) -> cst.BaseExpression:
        """Write what the loop goes through instead: the elements with the wanted key, if there is a dictionary."""
        condition = name
        checked = [f"type({text(part)})" for part in self.key.exact if not isinstance(part, cst.Integer)]
        if checked:
            condition += f" and {' is '.join([*checked, 'int'])}"
        wanted = f"{name}.get({text(self.key.question)}, ())"
        if self.space.condition:
            wanted = f"({self.space.item} for {self.space.target} in {wanted} if {self.space.condition})"
        plain = operand(self.scan.node.iter)
        written = f"{wanted} if {condition} else {plain}"
        if len(written) > _LONG:
            return cst.parse_expression(f"(\n    {wanted}\n    if {condition}\n    else {plain}\n)")
        return cst.parse_expression(f"({written})" if isinstance(self.scan.node, cst.CompFor) else written)


def _plan(scan: Scan, tree: Tree, effects: Effects, resolver: Resolver) -> _Plan | None:
    """Find a key, and the outermost place from which on a dictionary stays valid."""
    node = scan.node
    regions = regions_of(tree, node)
    if not regions:
        return None
    inside = effects.changes(node.body if isinstance(node, cst.For) else node)
    inside.binds -= scan.names
    key = find_key(scan, effects, inside, resolver)
    if key is None:
        return None
    for space in find_spaces(scan, key, tree.scope, resolver):
        if any(names_in(bound).all & (inside.binds | scan.names) for bound in space.bounds):
            continue
        region = _region(space, key, scan, regions, effects)
        place = statement_before(tree, region) if region else None
        if place is not None:
            return _Plan(scan, key, space, place)
    return None


def _region(space: Space, key: Key, scan: Scan, regions: list[cst.CSTNode], effects: Effects) -> cst.CSTNode | None:
    """Give the outermost region that changes nothing of what the dictionary is made of."""
    found = None
    for region in regions:
        changes = effects.changes(region)
        if not effects.is_pure(space.everything) or not effects.is_stable(space.everything, changes):
            break
        changes.binds -= {*scan.names, *names_in(cst.parse_expression(f"({space.target})")).all}
        if not effects.is_stable(key.element, changes):
            break
        found = region
    return found

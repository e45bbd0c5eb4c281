"""Sums, extremes and members of slices that overlap are looked up in tables that are made once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.aliases import path_of
from afterburner.agent.rules.base import RuleInput, RuleOutput
from afterburner.agent.rules.effects import Effects
from afterburner.agent.rules.names import fresh_name, text
from afterburner.agent.rules.places import helper, outermost_stable, statement_before
from afterburner.agent.rules.resolve import resolver_of
from afterburner.agent.rules.tree import Edits, Tree, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.rules.resolve import Resolver

_SUMS = '''def NAME(values):
    """Give a function for sum(values[low:high]): quick for lists of ints, whose running sums are exact."""
    exact = type(values) in (list, tuple) and all(type(value) is int for value in values)
    sums = list(accumulate(values, initial=0)) if exact else []

    def slice_sum(low, high):
        if exact and type(low) is type(high) is int and 0 <= low <= high < len(sums):
            return sums[high] - sums[low]
        return sum(values[low:high])

    return slice_sum'''

_EXTREMES = '''def NAME(values, choose):
    """Give a function for choose(values[low:high]), max or min: rows[n] holds the choices among 2**n neighbours."""
    kinds = set(map(type, values)) if type(values) in (list, tuple) else set()
    ordered = kinds == {str} or (kinds and kinds <= {int, float} and all(value == value for value in values))
    rows = [values]

    def slice_extreme(low, high):
        if not (ordered and type(low) is type(high) is int and 0 <= low < high <= len(values)):
            return choose(values[low:high])
        level = (high - low).bit_length() - 1
        while len(rows) <= level:
            rows.append(list(map(choose, rows[-1], rows[-1][1 << (len(rows) - 1) :])))
        return choose(rows[level][low], rows[level][high - (1 << level)])

    return slice_extreme'''

_MEMBERS = '''def NAME(values):
    """Give a function for item in values[low:high], which looks up where the item stands."""
    places = {}
    try:
        for place, value in enumerate(values if type(values) in (list, tuple) else ()):
            places.setdefault(value, []).append(place)
    except TypeError:  # it cannot be hashed
        places = {}

    def slice_has(item, low, high):
        try:
            found = places.get(item, ())
        except TypeError:
            return item in values[low:high]
        if not (places and type(low) is type(high) is int and low >= 0 and high >= 0):
            return item in values[low:high]
        first = bisect_left(found, low)
        return first < len(found) and found[first] < high

    return slice_has'''

_HELPERS = {
    "sum": ("_slice_sums", _SUMS, ("itertools", "accumulate")),
    "max": ("_slice_extremes", _EXTREMES, None),
    "min": ("_slice_extremes", _EXTREMES, None),
    "has": ("_slice_members", _MEMBERS, ("bisect", "bisect_left")),
}
_BUILTINS = (
    "sum", "max", "min", "all", "enumerate", "int", "float", "str", "len", "list", "tuple", "map", "set", "type",
    "TypeError",
)  # fmt: skip


class SlidingWindow:
    """Do not add up, or compare, the same elements again for every slice.

    Running sums are used only where they are exact, and extremes only where elements have one order; the slice itself
    is used otherwise, and for bounds that a slice would bend.

    Before::

        for i in range(len(xs) - k + 1):
            totals.append(sum(xs[i:i + k]))

    After::

        xs_sum = _slice_sums(xs)
        for i in range(len(xs) - k + 1):
            totals.append(xs_sum(i, i + k))
    """

    name = "sliding-window"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Replace sum, max, min and membership of a slice wherever a loop leaves the sequence as it is."""
        resolver = resolver_of(rule_input.module)
        if not all(resolver.spelled(f"builtins.{name}") for name in _BUILTINS):
            return None
        tree, edits = Tree(rule_input.scope), Edits()
        effects = Effects(resolver, rule_input.scope)
        tables: dict[tuple[cst.BaseStatement, str, str], str] = {}
        imports: list[str] = []
        definitions: list[str] = []
        for window in _windows(tree, effects, resolver):
            helper_name, source, imported = _HELPERS[window.kind]
            if imported and not _is_free(resolver, *imported):
                continue
            helper_name, definition = helper(helper_name, source, resolver)
            definitions += definition
            imports += [f"from {imported[0]} import {imported[1]}"] if imported else []
            table = (window.place, window.kind, window.values)
            if table not in tables:
                wanted = f"{window.values.split('.')[-1].strip('_') or 'values'}_{window.kind}"
                tables[table] = fresh_name(wanted, {*resolver.names.all, *tables.values()})
                arguments = f"{window.values}, {window.kind}" if source is _EXTREMES else window.values
                edits.insert_before(window.place, f"{tables[table]} = {helper_name}({arguments})")
            edits.replace(window.expression, window.replacement(tables[table]))
        if not edits:
            return None
        unique_definitions = tuple(dict.fromkeys(definitions))
        return RuleOutput(edits.apply(rule_input.scope), tuple(dict.fromkeys(imports)), unique_definitions)


@dataclass(frozen=True, slots=True)
class _Window:
    """An expression on a slice: `sum`, `max` and `min` of it, or whether it has an item."""

    expression: cst.Call | cst.Comparison
    kind: str
    values: str
    bounds: str
    place: cst.BaseStatement

    def replacement(self, table: str) -> cst.BaseExpression:
        """Write the look-up in the table."""
        if isinstance(self.expression, cst.Call):
            return cst.parse_expression(f"{table}({self.bounds})")
        found = f"{table}({text(self.expression.left)}, {self.bounds})"
        is_negated = isinstance(self.expression.comparisons[0].operator, cst.NotIn)
        look_up = cst.parse_expression(f"not {found}" if is_negated else found)
        return look_up.with_changes(lpar=self.expression.lpar, rpar=self.expression.rpar)


def _windows(tree: Tree, effects: Effects, resolver: Resolver) -> Iterator[_Window]:
    """Give every expression on a slice of something that a loop around it does not change."""
    for node in walk(tree.scope):
        operation = _operation(node, resolver)
        if operation is None or not isinstance(node, cst.Call | cst.Comparison):
            continue
        kind, sliced = operation
        parts = _slice(sliced)
        if parts is None or not all(bound is None or effects.is_pure(bound) for bound in parts[1:]):
            continue
        sequence, lower, upper = parts
        region = outermost_stable(tree, node, sequence, effects)
        place = statement_before(tree, region) if region else None
        if place is not None:
            values = text(sequence)
            low, high = text(lower) if lower else "0", text(upper) if upper else f"len({values})"
            yield _Window(node, kind, values, f"{low}, {high}", place)


def _operation(node: cst.CSTNode, resolver: Resolver) -> tuple[str, cst.BaseExpression] | None:
    """Give what is done with what: `sum(x)`, `max(x)`, `min(x)` or `item in x`."""
    if isinstance(node, cst.Comparison):
        operator = node.comparisons[0].operator
        is_membership = len(node.comparisons) == 1 and isinstance(operator, cst.In | cst.NotIn)
        return ("has", node.comparisons[0].comparator) if is_membership else None
    if not isinstance(node, cst.Call) or len(node.args) != 1 or node.args[0].star or node.args[0].keyword:
        return None
    kind = next((name for name in ("sum", "max", "min") if resolver.is_call(node, f"builtins.{name}")), None)
    return (kind, node.args[0].value) if kind else None


def _slice(
    node: cst.BaseExpression,
) -> tuple[cst.BaseExpression, cst.BaseExpression | None, cst.BaseExpression | None] | None:
    """Take `xs[low:high]` apart; None for anything else, or a slice with a step."""
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1 or path_of(node.value) is None:
        return None
    part = node.slice[0].slice
    if not isinstance(part, cst.Slice) or part.step is not None:
        return None
    return node.value, part.lower, part.upper


def _is_free(resolver: Resolver, module: str, name: str) -> bool:
    """Tell whether a name may be imported: it means nothing in this file yet, or already what is wanted."""
    return name not in resolver.names.all or resolver.qualified(cst.Name(name)) == f"{module}.{name}"

"""Sums and extremes of slices that overlap are taken from running sums and from tables of extremes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.aliases import path_of
from afterburner.agent.rules.base import RuleInput, RuleOutput
from afterburner.agent.rules.effects import Effects
from afterburner.agent.rules.names import fresh_name, text
from afterburner.agent.rules.places import helper, outermost_stable, statement_before
from afterburner.agent.rules.resolve import resolver_of
from afterburner.agent.rules.tree import Edits, Tree

if TYPE_CHECKING:
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

_BUILTINS = ("sum", "max", "min", "all", "int", "float", "str", "len", "list", "tuple", "map", "set", "type")


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
        """Replace sum, max and min of a slice wherever a loop leaves the sequence as it is."""
        resolver = resolver_of(rule_input.module)
        if not all(resolver.spelled(f"builtins.{name}") for name in _BUILTINS):
            return None
        tree, edits = Tree(rule_input.scope), Edits()
        effects = Effects(resolver, rule_input.scope)
        helpers: dict[str, tuple[str, tuple[str, ...]]] = {}
        tables: dict[tuple[cst.BaseStatement, str, str], str] = {}
        for call in tree.find(cst.Call):
            window = _window(call, tree, effects, resolver)
            if window is None:
                continue
            place, function, values, low, high = window
            kind = "sum" if function == "sum" else "extreme"
            helpers.setdefault(kind, _sums(resolver) if kind == "sum" else _extremes(resolver))
            table = (place, function, values)
            if table not in tables:
                wanted = f"{values.split('.')[-1].strip('_') or 'values'}_{function}"
                tables[table] = fresh_name(wanted, {*resolver.names.all, *tables.values()})
                arguments = values if kind == "sum" else f"{values}, {function}"
                edits.insert_before(place, f"{tables[table]} = {helpers[kind][0]}({arguments})")
            edits.replace(call, cst.parse_expression(f"{tables[table]}({low}, {high})"))
        if not edits:
            return None
        definitions = tuple(definition for _, needed in helpers.values() for definition in needed)
        imports = ("from itertools import accumulate",) if "sum" in helpers else ()
        return RuleOutput(edits.apply(rule_input.scope), imports, definitions)


def _sums(resolver: Resolver) -> tuple[str, tuple[str, ...]]:
    return helper("_slice_sums", _SUMS, resolver)


def _extremes(resolver: Resolver) -> tuple[str, tuple[str, ...]]:
    return helper("_slice_extremes", _EXTREMES, resolver)


def _window(
    call: cst.Call, tree: Tree, effects: Effects, resolver: Resolver
) -> tuple[cst.BaseStatement, str, str, str, str] | None:
    """Give where to put the table, `sum`, `max` or `min`, the sequence, and the bounds of its slice."""
    function = next((name for name in ("sum", "max", "min") if resolver.is_call(call, f"builtins.{name}")), None)
    if function is None or len(call.args) != 1 or call.args[0].star or call.args[0].keyword:
        return None
    if function == "sum" and not _is_free(resolver, "accumulate", "itertools.accumulate"):
        return None
    sliced = _slice(call.args[0].value)
    if sliced is None or not all(bound is None or effects.is_pure(bound) for bound in sliced[1:]):
        return None
    sequence, lower, upper = sliced
    region = outermost_stable(tree, call, sequence, effects)
    place = statement_before(tree, region) if region else None
    if place is None:
        return None
    values = text(sequence)
    return place, function, values, text(lower) if lower else "0", text(upper) if upper else f"len({values})"


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


def _is_free(resolver: Resolver, name: str, qualified: str) -> bool:
    """Tell whether a name may be imported: it means nothing in this file yet, or already what is wanted."""
    return name not in resolver.names.all or resolver.qualified(cst.Name(name)) == qualified

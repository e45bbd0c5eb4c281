"""Sums, extremes and members of slices that overlap are looked up in tables that are made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.free_names import fresh_name
from afterburner.agent.rules.analysis.places import helper
from afterburner.agent.rules.analysis.resolve import resolver_of
from afterburner.agent.rules.analysis.tree import Edits, Tree
from afterburner.agent.rules.analysis.window_tables import helper_for
from afterburner.agent.rules.analysis.windows import WindowFinder, unneeded_slices
from afterburner.agent.rules.patterns.accumulate_builtin import AccumulateBuiltin
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from afterburner.agent.rules.analysis.resolve import Resolver

_BUILTINS = (
    "sum", "max", "min", "all", "enumerate", "int", "float", "str", "len", "list", "tuple", "map", "set", "type",
    "TypeError",
)  # fmt: skip


class SlidingWindow:
    """Use running sums and extremes instead of reading the same elements again for every slice.

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
        """Replace sum, max, min and membership of a slice wherever a loop leaves the sequence as it is.

        A sum may also be a loop of its own, which has to become a `sum` first.
        """
        return _look_up(rule_input) or _look_up_sums(rule_input)


def _look_up_sums(rule_input: RuleInput) -> RuleOutput | None:
    summed = AccumulateBuiltin().rewrite(rule_input)
    if summed is None:
        return None
    if isinstance(summed.scope, cst.Module):
        module = summed.scope
    else:
        module = cst.ensure_type(rule_input.module.deep_replace(rule_input.scope, summed.scope), cst.Module)
    found = _look_up(RuleInput(module, summed.scope, rule_input.qualname), was_loop=True)
    if found is None:
        return None
    return RuleOutput(found.scope, (*summed.imports, *found.imports), (*summed.helpers, *found.helpers))


def _look_up(rule_input: RuleInput, *, was_loop: bool = False) -> RuleOutput | None:
    resolver = resolver_of(rule_input.module)
    if not all(resolver.spelled(f"builtins.{name}") for name in _BUILTINS):
        return None
    tree, edits = Tree(rule_input.scope), Edits()
    effects = Effects(resolver, rule_input.scope)
    tables: dict[tuple[cst.BaseStatement, str, str], str] = {}
    imports: list[str] = []
    definitions: list[str] = []
    windows = WindowFinder(tree, effects, resolver).find()
    for window in windows:
        needed = helper_for(window.kind, by_index=window.by_index, was_loop=was_loop)
        if needed.imported and not _is_free(resolver, *needed.imported):
            continue
        helper_name, definition = helper(needed.name, needed.source, resolver)
        definitions += definition
        imports += [f"from {needed.imported[0]} import {needed.imported[1]}"] if needed.imported else []
        table = (window.place, helper_name + window.kind, window.values)
        if table not in tables:
            wanted = f"{window.values.split('.')[-1].strip('_') or 'values'}_{window.kind}"
            tables[table] = fresh_name(wanted, {*resolver.names.all, *tables.values()})
            arguments = f"{window.values}, {window.kind}" if needed.takes_kind else window.values
            edits.insert_before(window.place, f"{tables[table]} = {helper_name}({arguments})")
        edits.replace(window.expression, window.replacement(tables[table]))
    if not edits:
        return None
    for statement in list(unneeded_slices(windows, edits, tree)):
        edits.remove(statement)
    unique_imports, unique_definitions = tuple(dict.fromkeys(imports)), tuple(dict.fromkeys(definitions))
    return RuleOutput(edits.apply(rule_input.scope), unique_imports, unique_definitions)


def _is_free(resolver: Resolver, module: str, name: str) -> bool:
    """Tell whether a name may be imported: it means nothing in this file yet, or already what is wanted."""
    return name not in resolver.names.all or resolver.qualified(cst.Name(name)) == f"{module}.{name}"

"""What is searched in a loop and does not change there is made a set once, before the loop."""

from __future__ import annotations

import libcst as cst

from afterburner.agent.rules.analysis.edits import as_set, first_argument
from afterburner.agent.rules.analysis.free_names import canonical, text
from afterburner.agent.rules.analysis.hoisting import Hoisting, called_at_once
from afterburner.agent.rules.analysis.scope import Analysis, Region
from afterburner.agent.rules.analysis.tree import Edits
from afterburner.agent.rules.analysis.value_types import Type, Types
from afterburner.agent.rules.rule import RuleInput, RuleOutput

_SMALL = 3  # elements of a display that a set would not search faster
_LISTS = {"list", "tuple", "view", "sequence"}
_MAY_BE_LISTS = {None, "iterable"}
# Methods that a variable of unknown type is called with when it is no list.
_NOT_OF_LISTS = frozenset((
    "add", "discard", "get", "items", "keys", "lower", "replace", "setdefault", "split", "startswith", "strip",
    "update", "upper", "values",
))  # fmt: skip


class HoistedSet:
    """Build the set that a loop searches once, before the loop.

    Before::

        for order in orders:
            if order.customer in [c.id for c in customers] and order.state in states:
                total += order.amount

    After::

        id_set = {c.id for c in customers}
        states_set = set(states) if isinstance(states, (list, tuple)) else states
        for order in orders:
            if order.customer in id_set and order.state in states_set:
                total += order.amount
    """

    name = "hoisted-set"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every search for an element in a loop, where what is searched is the same in each round."""
        analysis = Analysis(rule_input)
        types, edits = Types(analysis), Edits()
        made: dict[tuple[cst.BaseStatement, str], str] = {}
        for region in analysis.regions():
            hoisting = Hoisting(analysis, types, region)
            for comparison in _searches(analysis, region):
                found = _Searched(analysis, types, region, comparison)
                source = found.source()
                line = hoisting.line(found.searched, found.searched) if source is not None else None
                if line is None or source is None:
                    continue
                key = (line, canonical(found.searched))
                if key not in made:
                    made[key] = analysis.fresh(_wanted_name(found.searched), region)
                    edits.insert_before(line, f"{made[key]} = {source}")
                edits.replace(found.searched, cst.Name(made[key]))
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


def _searches(analysis: Analysis, region: Region) -> list[cst.Comparison]:
    """Give each `x in y` of the region that is repeated."""
    body = region.body if isinstance(region, cst.FunctionDef) else region
    return [
        comparison
        for comparison in analysis.find(cst.Comparison)
        if len(comparison.comparisons) == 1
        and isinstance(comparison.comparisons[0].operator, cst.In | cst.NotIn)
        and analysis.within(comparison, body)
        and _is_repeated(analysis, region, comparison)
    ]


def _is_repeated(analysis: Analysis, region: Region, comparison: cst.Comparison) -> bool:
    """Tell whether a loop of the region, or a function like `filter` called in it, repeats the search."""
    home = analysis.region_of(comparison)
    if isinstance(home, cst.Lambda):
        call = called_at_once(analysis, home)
        return call is not None and analysis.region_of(call) is region
    return home is region and bool(analysis.repeats(comparison))


class _Searched:
    """One thing that is searched, and how a set could be made of it."""

    def __init__(self, analysis: Analysis, types: Types, region: Region, comparison: cst.Comparison) -> None:
        self._analysis, self._types, self._region = analysis, types, region
        self._comparison = comparison
        self.searched = comparison.comparisons[0].comparator

    def source(self) -> str | None:
        """Write the set; None if what is searched is no list, or is searched fast enough."""
        node = self.searched
        # In a lambda the name stands in another function, but it is this one's variable: `line` sees to that.
        found = self._types.of(cst.Name(node.value) if isinstance(node, cst.Name) else node, self._region)
        if not self._types.may_hash(self._comparison.left, self._region):
            return None
        if found is not None and not self._types.hashes(found.element):
            return None
        if isinstance(node, cst.List | cst.Tuple):
            return text(as_set(node)) if len(node.elements) > _SMALL and not _is_constant(node) else None
        if isinstance(node, cst.ListComp | cst.GeneratorExp | cst.SetComp | cst.Call):
            return self._source_of_value(node)
        if isinstance(node, cst.Name | cst.Attribute | cst.Subscript):
            return self._source_of_variable(node, found)
        return None

    def _source_of_value(self, node: cst.BaseExpression) -> str | None:
        if not isinstance(node, cst.Call):
            return text(as_set(node)) if not isinstance(node, cst.SetComp) else text(node)
        if self._analysis.resolver.is_call(node, "builtins.list", "builtins.sorted", "builtins.tuple"):
            return text(as_set(node)) if first_argument(node) is not None else None
        name = self._types.name(node, self._region)
        if name in {"set", "frozenset"}:
            return text(node)
        if name == "view" and isinstance(node.func, cst.Attribute):
            return f"set({text(node)})" if node.func.attr.value == "values" else None
        return f"set({text(node)})" if name in _LISTS else None

    def _source_of_variable(self, node: cst.Name | cst.Attribute | cst.Subscript, found: Type | None) -> str | None:
        name, source = found.name if found else None, text(node)
        if name is None and isinstance(node, cst.Name):
            name = self._global_type(node.value)
        if name in _LISTS - {"sequence"}:
            return f"set({source})"
        if name not in _MAY_BE_LISTS | {"sequence"} or self._analysis.resolver.qualified(node) is not None:
            return None
        if any(self._speaks_against_list(other) for other in self._same(node)) or self._is_made_a_set(source):
            return None
        return f"set({source}) if isinstance({source}, (list, tuple)) else {source}"

    def _same(self, node: cst.BaseExpression) -> list[cst.BaseExpression]:
        """Give the places of the region where the same variable or attribute stands."""
        written = text(node)
        return [each for each in self._analysis.find(type(node)) if text(each) == written]

    def _speaks_against_list(self, other: cst.BaseExpression) -> bool:
        """Tell whether a use of the variable is one of a dict, set or str: `x.get(…)`, `x[key]` for the same key."""
        parent = self._analysis.tree.parents.get(other)
        if isinstance(parent, cst.Attribute) and parent.value is other:
            return parent.attr.value in _NOT_OF_LISTS
        if isinstance(parent, cst.Subscript) and parent.value is other:
            key = parent.slice[0].slice
            return isinstance(key, cst.Index) and text(key.value) == text(self._comparison.left)
        if isinstance(parent, cst.Param) and parent.default is not None:
            return self._types.name(parent.default, self._region) not in {None, "list", "tuple"}
        return False

    def _is_made_a_set(self, name: str) -> bool:
        """Tell whether a variable is `set(x) if isinstance(x, (list, tuple)) else x`, as this rule writes it."""
        values = [
            each.value
            for each in self._analysis.find(cst.Assign)
            if isinstance(each.value, cst.IfExp) and text(each.targets[0].target) == name
        ]
        return any(
            text(value) == f"set({rest}) if isinstance({rest}, (list, tuple)) else {rest}"
            for value in values
            if (rest := text(value.orelse))
        )

    def _global_type(self, name: str) -> str | None:
        """Tell what a global name is bound to, if that is written at the top of the file."""
        if self._analysis.names(self._region).binds[name]:
            return None
        values = [
            small.value
            for statement in self._analysis.module.body
            if isinstance(statement, cst.SimpleStatementLine)
            for small in statement.body
            if isinstance(small, cst.Assign | cst.AnnAssign)
            and name in (text(each.target) for each in (small.targets if isinstance(small, cst.Assign) else [small]))
        ]
        return self._types.name(values[0], self._region) if len(values) == 1 else None


def _is_constant(node: cst.List | cst.Tuple) -> bool:
    """Tell whether the display holds literals only: the interpreter keeps such a tuple ready."""
    return all(isinstance(each.value, cst.BaseNumber | cst.SimpleString) for each in node.elements)


def _wanted_name(searched: cst.BaseExpression) -> str:
    """Name a set after what it holds: `id_set` for `[row.id for row in rows]`, `states_set` for `self.states`."""
    node: cst.CSTNode = searched
    while True:
        if isinstance(node, cst.ListComp | cst.SetComp | cst.GeneratorExp):
            node = node.elt if isinstance(node.elt, cst.Attribute) else node.for_in.iter
        elif isinstance(node, cst.Call):
            node = node.args[0].value if node.args else node.func
        elif isinstance(node, cst.Subscript):
            node = node.value
        elif isinstance(node, cst.Attribute) and isinstance(node.value, cst.BaseString):
            return "known_set"
        elif isinstance(node, cst.Attribute):
            return f"{node.attr.value.strip('_')}_set"
        elif isinstance(node, cst.Name):
            return f"{node.value.strip('_').lower()}_set"
        else:
            return "known_set"

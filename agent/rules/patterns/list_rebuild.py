"""A list, set or dictionary that is copied to add something to it is changed where it stands instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.edits import annotated, imported_name
from afterburner.agent.rules.analysis.free_names import canonical, text
from afterburner.agent.rules.analysis.ownership import goes_through, is_renewed, keeps_name
from afterburner.agent.rules.analysis.rebuilds import Growths
from afterburner.agent.rules.analysis.scope import Analysis, Region
from afterburner.agent.rules.analysis.tree import Edits, parse_block
from afterburner.agent.rules.analysis.uses import Kind, Use
from afterburner.agent.rules.analysis.value_types import Types
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MADE_LISTS = cst.List | cst.ListComp | cst.Call | cst.BinaryOperation
# A tuple and a list with the same elements do the same here.
_ALIKE = frozenset((Kind.LENGTH, Kind.TRUTH, Kind.MEMBER, Kind.ITERATE, Kind.CONSUME, Kind.LAZY, Kind.SPREAD))
_ALIKE_METHODS = frozenset(("count", "index"))
_OWN = frozenset((Kind.BIND, Kind.AUGMENT, Kind.ADD, Kind.SPREAD))  # in `x = x + …`, `x += …` and `x = (*x, …)`
_ADDS = ("operator.add", "operator.concat")


class ListRebuild:
    """Append to a list instead of copying it into a longer one each time.

    Before::

        found, index = [], {}
        for row in rows:
            found = found + [row.name]
            index = {**index, row.name: row}
        return found, sum(groups, [])

    After::

        found, index = [], {}
        for row in rows:
            found.append(row.name)
            index[row.name] = row
        return found, list(itertools.chain.from_iterable(groups))

    The same holds for sets. A tuple becomes a list while it grows. A wrong operand still raises a TypeError,
    with another message.
    """

    name = "list-rebuild"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every variable that grows so in a loop, and every sum of lists."""
        analysis = Analysis(rule_input)
        types, edits = Types(analysis), Edits()
        imports: tuple[str, ...] = ()
        for region in analysis.regions():
            imports += _chain_sums(analysis, types, region, edits)
            growths = Growths(types, analysis.resolver, region)
            for name in analysis.variables(region):
                found = _Grown(analysis, types, region, name)
                if found.read(growths.of_tuple) and found.is_tuple():
                    found.keep_as_list(edits)
                for kind, grow in growths.in_place():
                    if found.read(grow) and found.is_own(kind):
                        found.change(edits)
        return RuleOutput(edits.apply(rule_input.scope), tuple(dict.fromkeys(imports))) if edits else None


class _Grown:
    """A local variable, and the statements that rebuild it with something added."""

    def __init__(self, analysis: Analysis, types: Types, region: Region, name: str) -> None:
        self._analysis, self._types, self._region, self._name = analysis, types, region, name
        self._uses = analysis.uses(name, region)
        self._growths: dict[cst.CSTNode, str] = {}
        self._starts: Sequence[Use] = ()

    def read(self, grow: Callable[[cst.CSTNode, str], str | None]) -> bool:
        """Tell whether some statement in a loop, in which the variable does not start anew, grows it in this way."""
        binds = [use for use in self._uses if use.kind in {Kind.BIND, Kind.REBIND, Kind.AUGMENT}]
        written = ((use.holder, grow(use.holder, self._name)) for use in binds)
        self._growths = {statement: source for statement, source in written if source is not None}
        self._starts = [use for use in binds if use.holder not in self._growths and use.kind is not Kind.AUGMENT]
        return any(self._loops(growth) for growth in self._growths)

    def is_own(self, kind: str) -> bool:
        """Tell whether the variable is a container of this kind that has no other name when it grows."""
        if {self._kind_of(start) for start in self._starts} != {kind}:
            return False
        for use in self._uses:
            if use in self._starts:
                continue
            if use.kind in {Kind.BIND, Kind.AUGMENT} and use.holder in self._growths:
                continue
            if use.kind is Kind.CAPTURED or any(goes_through(self._analysis, use, growth) for growth in self._growths):
                return False
            if not keeps_name(self._analysis, use) and not all(
                is_renewed(self._analysis, self._starts, use.name, growth) for growth in self._growths
            ):
                return False
        return True

    def change(self, edits: Edits) -> None:
        """Add where the container stands."""
        for statement, source in self._growths.items():
            [line] = parse_block(source)
            edits.replace(statement, cst.ensure_type(line, cst.SimpleStatementLine).body[0])

    def is_tuple(self) -> bool:
        """Tell whether the variable is a tuple that matters as a tuple only where it does not grow."""
        if not self._starts or not all(self._is_tuple_start(start) for start in self._starts):
            return False
        return all(self._is_alike(use) or not self._is_amid(use) for use in self._others()) and not any(
            use.kind in {Kind.CAPTURED, Kind.REBIND, Kind.AUGMENT}
            or any(goes_through(self._analysis, use, growth) for growth in self._growths)
            for use in self._others()
        )

    def keep_as_list(self, edits: Edits) -> None:
        """Make the tuple a list, and a tuple again where it has to be one."""
        self.change(edits)
        for start in self._starts:
            if start.value is not None:
                edits.change(start.value, _as_list)
            if isinstance(start.holder, cst.AnnAssign):
                edits.change(start.holder, lambda statement: annotated(statement, "list"))
        for use in self._others():
            if not self._is_alike(use):
                edits.replace(use.name, cst.parse_expression(f"tuple({self._name})"))

    def _loops(self, growth: cst.CSTNode) -> list[cst.For | cst.While]:
        tree = self._analysis.tree
        return [loop for loop in tree.loops(growth) if not any(tree.within(start.name, loop) for start in self._starts)]

    def _kind_of(self, start: Use) -> str | None:
        """Tell which container of its own the variable gets: no part of another, no object that has a name."""
        value, resolver = start.value, self._analysis.resolver
        if start.kind is not Kind.BIND or value is None:
            return None
        if isinstance(value, cst.Dict | cst.DictComp) or resolver.is_call(value, "builtins.dict"):
            return "dict"
        if isinstance(value, cst.Set | cst.SetComp) or resolver.is_call(value, "builtins.set"):
            return "set"
        is_list = isinstance(value, _MADE_LISTS) and self._types.name(value, self._region) == "list"
        return "list" if is_list else None

    def _is_tuple_start(self, start: Use) -> bool:
        is_made = isinstance(start.value, cst.Tuple) or (
            start.value is not None and self._analysis.resolver.is_call(start.value, "builtins.tuple")
        )
        return start.kind is Kind.BIND and is_made

    def _others(self) -> list[Use]:
        """Give the uses that are neither the start nor part of a growing statement's own form."""
        tree = self._analysis.tree
        return [
            use
            for use in self._uses
            if use not in self._starts
            and not (use.kind in _OWN and any(tree.within(use.name, g) for g in self._growths))
        ]

    def _is_alike(self, use: Use) -> bool:
        is_read = use.kind in _ALIKE or (use.kind is Kind.METHOD and use.method in _ALIKE_METHODS)
        return is_read and keeps_name(self._analysis, use)

    def _is_amid(self, use: Use) -> bool:
        """Tell whether a use is repeated with a growth; what a `return` gives is made once."""
        tree = self._analysis.tree
        if use.kind is Kind.RETURN:
            return False
        return any(tree.within(use.name, loop) for growth in self._growths for loop in self._loops(growth))


def _as_list(value: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(value, cst.Tuple):
        return cst.List(value.elements)
    return value.with_changes(func=cst.Name("list")) if isinstance(value, cst.Call) else value


def _chain_sums(analysis: Analysis, types: Types, region: Region, edits: Edits) -> tuple[str, ...]:
    """Write `sum(lists, [])` so that no longer list is made for each of them; give the imports that this needs."""
    chain = imported_name(analysis.resolver, "itertools", "chain")
    if chain is None:
        return ()
    imports: tuple[str, ...] = ()
    for call in analysis.find(cst.Call):
        summed = _summed(analysis, call)
        if summed is None or analysis.region_of(call) is not region:
            continue
        kind = {"[]": "list", "list()": "list", "()": "tuple", "tuple()": "tuple"}.get(text(summed[1]))
        found = types.of(summed[0], region)
        is_other = found is not None and found.element is not None and found.element.name != kind
        if kind is None or is_other or not analysis.resolver.spelled(f"builtins.{kind}"):
            continue
        edits.replace(call, cst.parse_expression(f"{kind}({chain[0]}.from_iterable({text(summed[0])}))"))
        imports = chain[1]
    return imports


def _summed(analysis: Analysis, call: cst.Call) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """Give what `sum(lists, start)` or `reduce(add, lists, start)` adds up, and what it starts with."""
    values = [arg.value for arg in call.args if not arg.star and arg.keyword is None]
    if analysis.resolver.is_call(call, "builtins.sum") and len(call.args) == 2:
        starts = [arg.value for arg in call.args if arg.keyword is not None and arg.keyword.value == "start"]
        both = [*values, *starts]
        return (both[0], both[1]) if values and len(both) == 2 else None
    if analysis.resolver.is_call(call, "functools.reduce") and len(values) == len(call.args) == 3:
        function = values[0]
        adds = analysis.resolver.qualified(function) in _ADDS or _adds_its_parameters(function)
        return (values[1], values[2]) if adds else None
    return None


def _adds_its_parameters(function: cst.BaseExpression) -> bool:
    if not isinstance(function, cst.Lambda) or len(function.params.params) != 2:
        return False
    first, second = (each.name.value for each in function.params.params)
    return canonical(function) == f"lambda {first}, {second}: {first} + {second}"

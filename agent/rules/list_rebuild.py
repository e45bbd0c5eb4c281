"""Containers that are made anew to hold one element more are grown in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis import Analysis, Region
from afterburner.agent.rules.analysis_edit import imported_name, is_repeatable
from afterburner.agent.rules.analysis_types import Types
from afterburner.agent.rules.analysis_uses import Kind
from afterburner.agent.rules.base import RuleInput, RuleOutput
from afterburner.agent.rules.names import names_in, text
from afterburner.agent.rules.tree import Edits, parse_block

if TYPE_CHECKING:
    from collections.abc import Callable

_MADE_HERE = (
    cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp, cst.SetComp, cst.Call, cst.BinaryOperation, cst.Subscript,
)  # fmt: skip
_GOES_ELSEWHERE = {Kind.OTHER, Kind.CAPTURED, Kind.REBIND}
_GOES_THROUGH = {Kind.ITERATE, Kind.LAZY}


class ListRebuild:
    """Grow lists, sets and dicts in place, and put lists of lists together in one go.

    Before::

        for row in rows:
            cells = cells + [row.cell]
            index = {**index, row.id: row}
        return sum(groups, [])

    After::

        for row in rows:
            cells.append(row.cell)
            index[row.id] = row
        return list(itertools.chain.from_iterable(groups))
    """

    name = "list-rebuild"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat what only one variable of a function holds, and every sum of lists."""
        analysis = Analysis(rule_input)
        types, edits = Types(analysis), Edits()
        for region in analysis.regions():
            for name in analysis.variables(region):
                kind = types.name(cst.Name(name), region)
                for use in analysis.uses(name, region):
                    if _growth(use.holder, kind) is None or not analysis.repeats(use.name):
                        continue
                    if use.kind is Kind.AUGMENT or (use.kind is Kind.BIND and _is_alone(analysis, region, name, kind)):
                        edits.change(use.holder, _growing(kind))
        imports = _flatten(analysis, edits)
        return RuleOutput(edits.apply(rule_input.scope), imports) if edits else None


def _is_alone(analysis: Analysis, region: Region, name: str, kind: str | None) -> bool:
    """Tell whether nothing but this variable ever holds its object, so that nobody sees it grow."""
    uses = analysis.uses(name, region)
    growths = [use.holder for use in uses if use.kind is Kind.BIND and _growth(use.holder, kind) is not None]
    for use in uses:
        if any(analysis.within(use.name, growth) for growth in growths):
            continue
        if use.kind in _GOES_ELSEWHERE or (use.kind is Kind.BIND and not isinstance(use.value, _MADE_HERE)):
            return False
        loop = analysis.tree.parents.get(use.holder) if use.kind is Kind.LAZY else use.holder
        if use.kind in _GOES_THROUGH and (
            (use.kind is Kind.LAZY and not isinstance(loop, cst.For))
            or (isinstance(loop, cst.For) and any(analysis.within(growth, loop.body) for growth in growths))
        ):
            return False
    return True


def _growth(statement: cst.CSTNode, kind: str | None) -> str | None:
    """Write what grows a container in place instead of `x = x + …`; None for any other statement."""
    if isinstance(statement, cst.AugAssign):
        value = statement.value
        is_single = isinstance(statement.operator, cst.AddAssign) and isinstance(value, cst.List)
        return _added(text(statement.target), "list", value) if kind == "list" and is_single else None
    if not isinstance(statement, cst.Assign | cst.AnnAssign) or statement.value is None:
        return None
    name = text(statement.target if isinstance(statement, cst.AnnAssign) else statement.targets[0].target)
    value = statement.value
    if isinstance(value, cst.BinaryOperation) and text(value.left) == name:
        operator = cst.Add if kind == "list" else cst.BitOr
        return _added(name, kind, value.right) if isinstance(value.operator, operator) else None
    if kind == "dict" and isinstance(value, cst.Dict) and value.elements:
        first, *others = value.elements
        if isinstance(first, cst.StarredDictElement) and text(first.value) == name:
            return _added(name, kind, value.with_changes(elements=others))
    return None


def _added(name: str, kind: str | None, added: cst.BaseExpression) -> str | None:
    adders = {"list": _added_to_list, "set": _added_to_set, "dict": _added_to_dict}
    if kind not in adders or names_in(added).reads[name]:
        return None
    return adders[kind](name, added)


def _added_to_list(name: str, added: cst.BaseExpression) -> str | None:
    if isinstance(added, cst.List) and len(added.elements) == 1 and isinstance(added.elements[0], cst.Element):
        return f"{name}.append({text(added.elements[0].value)})"
    return f"{name}.extend({text(added)})" if isinstance(added, cst.List | cst.ListComp | cst.Name) else None


def _added_to_set(name: str, added: cst.BaseExpression) -> str | None:
    if isinstance(added, cst.Set) and len(added.elements) == 1 and isinstance(added.elements[0], cst.Element):
        return f"{name}.add({text(added.elements[0].value)})"
    return f"{name}.update({text(added)})" if isinstance(added, cst.Set | cst.SetComp) else None


def _added_to_dict(name: str, added: cst.BaseExpression) -> str | None:
    """The key of `x[key] = value` is evaluated after the value, so it has to be a simple one."""
    if not isinstance(added, cst.Dict) or len(added.elements) != 1:
        return None
    [element] = added.elements
    if isinstance(element, cst.DictElement):
        return f"{name}[{text(element.key)}] = {text(element.value)}" if is_repeatable(element.key) else None
    return f"{name}.update({text(element.value)})"


def _growing(kind: str | None) -> Callable[[cst.CSTNode], cst.CSTNode]:
    def change(statement: cst.CSTNode) -> cst.CSTNode:
        source = _growth(statement, kind)
        [line] = parse_block(source or "pass")
        return line.body[0] if source and isinstance(line, cst.SimpleStatementLine) else statement

    return change


def _flatten(analysis: Analysis, edits: Edits) -> tuple[str, ...]:
    """`sum(lists, [])` → `list(itertools.chain.from_iterable(lists))`."""
    found = imported_name(analysis.resolver, "itertools", "chain")
    sums = [call for call in analysis.find(cst.Call) if analysis.resolver.is_call(call, "builtins.sum")]
    flat = [call for call in sums if _is_sum_of_lists(call)]
    if found is None or not flat or analysis.resolver.spelled("builtins.list") is None:
        return ()
    for call in flat:
        edits.change(call, _chained(found[0]))
    return found[1]


def _is_sum_of_lists(call: cst.Call) -> bool:
    if [text(arg.value) for arg in call.args[1:]] != ["[]"]:
        return False
    start = call.args[1]
    return (
        not call.args[0].star
        and call.args[0].keyword is None
        and (start.keyword is None or start.keyword.value == "start")
    )


def _chained(spelled: str) -> Callable[[cst.Call], cst.Call]:
    def change(call: cst.Call) -> cst.Call:
        lists = call.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        inner = cst.Call(cst.parse_expression(f"{spelled}.from_iterable"), [lists])
        return call.with_changes(func=cst.Name("list"), args=[cst.Arg(inner)])

    return change

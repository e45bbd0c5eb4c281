"""A list that a function builds and searches again and again gets a set beside it, or becomes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.edits import (
    add_after,
    annotated,
    as_set,
    is_empty,
    is_repeatable,
    is_statement,
    small_statement,
)
from afterburner.agent.rules.analysis.free_names import text
from afterburner.agent.rules.analysis.scope import Analysis, Region
from afterburner.agent.rules.analysis.tree import Edits, parse_block
from afterburner.agent.rules.analysis.uses import Kind, Use
from afterburner.agent.rules.analysis.value_types import Types
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeGuard

_SMALL = 3  # elements of a literal that a set would not search faster
_GROWING = {"append", "extend", "insert"}
_ORDER_ONLY = {"index", "count", "copy", "sort", "reverse"}  # which elements there are stays the same
_HARMLESS = {
    Kind.LENGTH, Kind.TRUTH, Kind.MEMBER, Kind.ITERATE, Kind.INDEX, Kind.SLICE, Kind.CONSUME, Kind.LAZY, Kind.LOOK,
    Kind.ADD, Kind.SPREAD, Kind.RETURN,
}  # fmt: skip
_FRESH = cst.List | cst.Tuple | cst.ListComp | cst.Call | cst.BinaryOperation | cst.Subscript


class SetMembership:
    """Search a set instead of a list that the function built.

    Before::

        seen = []
        for word in words:
            if word not in seen:
                seen.append(word)
        return seen

    After::

        seen = []
        seen_set = set(seen)
        for word in words:
            if word not in seen_set:
                seen.append(word)
                seen_set.add(word)
        return seen

    A list with no other use becomes a set.
    """

    name = "set-membership"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every such list of every function in the scope."""
        analysis = Analysis(rule_input)
        types, edits = Types(analysis), Edits()
        for region in analysis.regions():
            for name in analysis.variables(region):
                found = _Searched(analysis, types, region, name)
                if not found.fits():
                    continue
                if found.is_only_searched():
                    found.replace(edits)
                else:
                    found.accompany(edits)
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


class _Searched:
    """A local variable that may be a list whose elements are looked for in a loop."""

    def __init__(self, analysis: Analysis, types: Types, region: Region, name: str) -> None:
        self._analysis, self._types, self._region, self._name = analysis, types, region, name
        self._uses = analysis.uses(name, region)

    def fits(self) -> bool:
        """Tell whether a set would always hold what the list holds, and whether it is searched often enough."""
        searches = self._of(Kind.MEMBER)
        if not searches or not self._is_repeated(searches):
            return False
        return all(self._is_understood(use, searches) for use in self._uses) and not self._is_small()

    def is_only_searched(self) -> bool:
        """Tell whether neither order nor duplicates of the list matter."""
        plain = {Kind.BIND, Kind.AUGMENT, Kind.MEMBER, Kind.TRUTH}
        return all(use.kind in plain or (use.kind is Kind.METHOD and use.method in _GROWING) for use in self._uses)

    def replace(self, edits: Edits) -> None:
        """Make the list a set."""
        for use in self._uses:
            if use.kind is Kind.BIND and use.value is not None:
                edits.change(use.value, as_set)
                if isinstance(use.holder, cst.AnnAssign):
                    edits.change(use.holder, lambda statement: annotated(statement, "set"))
            elif use.kind is Kind.AUGMENT and isinstance(use.holder, cst.AugAssign):
                edits.change(use.holder, _update)
            elif use.kind is Kind.METHOD:
                edits.change(use.call, _add)

    def accompany(self, edits: Edits) -> None:
        """Keep a set beside the list."""
        tree, companion = self._analysis.tree, self._analysis.fresh(f"{self._name}_set", self._region)
        for use in self._uses:
            statement = small_statement(tree, use.name)
            if use.kind is Kind.MEMBER:
                edits.replace(use.name, cst.Name(companion))
            elif use.kind is Kind.BIND and statement is not None and use.value is not None:
                empty = is_empty(use.value)
                add_after(tree, edits, statement, f"{companion} = set({'' if empty else self._name})")
            elif statement is not None and (use.kind is Kind.AUGMENT or use.method in _GROWING):
                added = use.value or use.call.args[-1].value
                is_several = use.kind is Kind.AUGMENT or use.method == "extend"
                if is_several and self._is_made_there(added):
                    kept = self._analysis.fresh(f"new_{self._name}", self._region)
                    edits.change(tree.parents[statement], _named_growth(companion, kept))
                elif is_several:
                    add_after(tree, edits, statement, _grown(companion, added))
                else:
                    again = text(added) if is_repeatable(added) else f"{self._name}[-1]"
                    add_after(tree, edits, statement, f"{companion}.add({again})")

    def _of(self, kind: Kind) -> list[Use]:
        return [use for use in self._uses if use.kind is kind]

    def _is_repeated(self, searches: Sequence[Use]) -> bool:
        """Tell whether some search runs more often than the list is made."""
        binds = self._of(Kind.BIND)
        return any(
            not any(self._analysis.within(bind.holder, repeat) for bind in binds)
            for search in searches
            for repeat in self._analysis.repeats(search.name)[:1]
        )

    def _is_small(self) -> bool:
        values = [use.value for use in self._of(Kind.BIND)]
        grows = any(use.kind is Kind.AUGMENT or use.method in _GROWING for use in self._uses)
        return not grows and all(
            isinstance(value, cst.List | cst.Tuple) and len(value.elements) <= _SMALL for value in values
        )

    def _is_understood(self, use: Use, searches: Sequence[Use]) -> bool:
        types, region = self._types, self._region
        if use.kind is Kind.BIND:
            is_fresh = isinstance(use.value, _FRESH) and types.name(use.value, region) in {"list", "tuple"}
            return is_fresh and types.elements_may_hash(use.value, region)
        if use.kind is Kind.AUGMENT:
            plain = isinstance(use.holder, cst.AugAssign) and isinstance(use.holder.operator, cst.AddAssign)
            return plain and self._may_be_added(use.value)
        if use.kind is Kind.METHOD:
            return use.method in _ORDER_ONLY or (use.method in _GROWING and self._is_plain_growth(use))
        if use.kind is Kind.MEMBER:
            comparison = self._analysis.tree.parents[use.holder]
            looked_for = comparison.left if isinstance(comparison, cst.Comparison) else None
            return isinstance(comparison, cst.Comparison) and (
                len(comparison.comparisons) == 1 and types.may_hash(looked_for, region)
            )
        return use.kind in _HARMLESS or (use.kind is Kind.OTHER and self._is_past(use, searches))

    def _is_plain_growth(self, use: Use) -> bool:
        call, tree = use.call, self._analysis.tree
        wanted = 2 if use.method == "insert" else 1
        if len(call.args) != wanted or any(arg.keyword or arg.star for arg in call.args):
            return False
        added = call.args[-1].value
        if not is_statement(tree, call) and not self.is_only_searched():
            return False
        if use.method == "extend":
            return self._may_be_added(added)
        if use.method == "insert" and not (is_repeatable(added) and is_repeatable(call.args[0].value)):
            return False
        return self._types.may_hash(added, self._region)

    def _may_be_added(self, value: cst.BaseExpression | None) -> bool:
        """Tell whether a value can be gone through twice: once for the list, once for the set."""
        if isinstance(value, cst.List | cst.Tuple):
            simple = all(isinstance(each, cst.Element) and is_repeatable(each.value) for each in value.elements)
        elif self._is_made_there(value):
            line = self._analysis.tree.parents.get(small_statement(self._analysis.tree, value) or value)
            simple = isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1
        else:
            names = {"list", "tuple", "set", "frozenset", "dict", "str", "range"}
            simple = isinstance(value, cst.Name) and self._types.name(value, self._region) in names
        return (simple or self.is_only_searched()) and self._types.elements_may_hash(value, self._region)

    def _is_made_there(self, value: cst.BaseExpression | None) -> TypeGuard[cst.ListComp | cst.Call]:
        """Tell whether several elements are made right where they are added, before the list grows."""
        if isinstance(value, cst.Call):
            return self._types.name(value, self._region) in {"list", "tuple"}
        return isinstance(value, cst.ListComp)

    def _is_past(self, use: Use, searches: Sequence[Use]) -> bool:
        """Tell whether nothing is searched any more when the list goes elsewhere."""
        loops = self._analysis.repeats(use.name)
        return all(
            self._analysis.before(search.name, use.name)
            and not any(self._analysis.within(search.name, loop) for loop in loops)
            for search in searches
        )


def _named_growth(companion: str, name: str) -> Callable[[cst.CSTNode], cst.CSTNode]:
    """`seen += [… for …]` → `new = [… for …]`, `seen += new`, `seen_set.update(new)`."""

    def change(line: cst.CSTNode) -> cst.CSTNode:
        if not isinstance(line, cst.SimpleStatementLine):
            return line
        statement = line.body[0]
        grown: cst.BaseSmallStatement
        if isinstance(statement, cst.AugAssign):
            value, grown = statement.value, statement.with_changes(value=cst.Name(name))
        elif isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
            value = statement.value.args[0].value
            grown = statement.with_changes(value=statement.value.with_changes(args=[cst.Arg(cst.Name(name))]))
        else:
            return line
        made = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(name))], value)], line.leading_lines)
        lines = [made, line.with_changes(body=[grown], leading_lines=[]), *parse_block(f"{companion}.update({name})")]
        return cst.FlattenSentinel(lines)  # type: ignore[return-value] # an editor takes several nodes for one, too

    return change


def _update(statement: cst.AugAssign) -> cst.Expr:
    return cst.Expr(cst.parse_expression(_grown(text(statement.target), statement.value)))


def _add(call: cst.Call) -> cst.Call:
    """`append` and `insert` add one element, `extend` adds several."""
    if not isinstance(call.func, cst.Attribute):
        return call
    name = "update" if call.func.attr.value == "extend" else "add"
    last = call.args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return call.with_changes(func=call.func.with_changes(attr=cst.Name(name)), args=[last])


def _grown(owner: str, added: cst.BaseExpression) -> str:
    """Write how the elements of a value are added to a set."""
    if isinstance(added, cst.List | cst.Tuple) and len(added.elements) == 1:
        element = added.elements[0]
        if isinstance(element, cst.Element):
            return f"{owner}.add({text(element.value)})"
    return f"{owner}.update({text(added)})"

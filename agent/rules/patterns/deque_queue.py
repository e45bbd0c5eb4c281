"""Lists that lose or get elements at their front become deques."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.edits import annotated, imported_name, is_empty
from afterburner.agent.rules.analysis.free_names import text
from afterburner.agent.rules.analysis.scope import Analysis, Region
from afterburner.agent.rules.analysis.tree import Edits
from afterburner.agent.rules.analysis.uses import Kind, Use, is_truth_test
from afterburner.agent.rules.analysis.value_types import Types
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SAME = {"append", "clear", "count", "extend", "pop", "reverse"}  # methods that deques have as well
_CHANGING = _SAME - {"count"} | {"insert"}
_WORKS = {Kind.LENGTH, Kind.TRUTH, Kind.MEMBER, Kind.ITERATE, Kind.CONSUME, Kind.LAZY, Kind.SPREAD, Kind.AUGMENT}
_AS_LIST = {Kind.RETURN, Kind.LOOK, Kind.ADD, Kind.SLICE}
_NEAR_AN_END = {"0", "1", "-1", "-2"}


class DequeQueue:
    """Take elements from the front of a deque, which does not move the others.

    Before::

        queue = [start]
        while queue:
            node = queue.pop(0)
            queue.extend(node.children)
        return queue

    After::

        queue = collections.deque([start])
        while queue:
            node = queue.popleft()
            queue.extend(node.children)
        return list(queue)
    """

    name = "deque"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every local list that nothing outside the function can see before it is returned."""
        analysis = Analysis(rule_input)
        found = imported_name(analysis.resolver, "collections", "deque")
        if found is None or analysis.resolver.spelled("builtins.list") is None:
            return None
        spelled, imports = found
        types, edits = Types(analysis), Edits()
        for region in analysis.regions():
            for name in analysis.variables(region):
                queue = _Queue(analysis, types, region, name)
                if queue.fits():
                    queue.change(spelled, edits)
        return RuleOutput(edits.apply(rule_input.scope), imports) if edits else None


class _Queue:
    """A local variable that may be a list used as a queue."""

    def __init__(self, analysis: Analysis, types: Types, region: Region, name: str) -> None:
        self._analysis, self._types, self._region, self._name = analysis, types, region, name
        uses = analysis.uses(name, region)
        # The list on the right of `q = q[1:]` belongs to the statement, it is not looked at otherwise.
        self._shrinking = {use.holder for use in uses if self._is_rest(use)}
        self._prepending = {use.holder for use in uses if self._is_prepended(use)}
        whole = self._shrinking | self._prepending
        self._uses = [
            use
            for use in uses
            if use.kind is Kind.BIND or not any(analysis.within(use.name, statement) for statement in whole)
        ]

    def fits(self) -> bool:
        """Tell whether a deque does everything that the list does, and whether something happens at its front."""
        at_front = [use for use in self._uses if self._is_at_front(use)]
        if not any(self._analysis.repeats(use.name) for use in at_front):
            return False
        is_emptied = any(not self._is_growing(use) for use in at_front)
        asks = {Kind.TRUTH, Kind.LENGTH}
        if is_emptied and not any(use.kind in asks or self._compares_with_empty(use) for use in self._uses):
            return False  # it may be popped when empty: the message would tell what it is
        return all(self._is_understood(use) for use in self._uses)

    def change(self, spelled: str, edits: Edits) -> None:
        """Make the list a deque."""
        for use in self._uses:
            if use.holder in self._shrinking and isinstance(use.holder, cst.Assign):
                edits.replace(use.holder, cst.Expr(cst.parse_expression(f"{self._name}.popleft()")))
            elif use.holder in self._prepending and isinstance(use.holder, cst.Assign):
                edits.change(use.holder, _appending_left)
            elif use.kind is Kind.BIND and use.value is not None:
                edits.change(use.value, _made(spelled))
                if isinstance(use.holder, cst.AnnAssign):
                    edits.change(use.holder, lambda statement: annotated(statement, spelled))
            elif use.kind is Kind.METHOD and self._is_at_front(use):
                edits.change(use.call, _popleft if use.method == "pop" else _appendleft)
            elif use.kind is Kind.STORE_ITEM and self._is_at_front(use):
                deletion = self._analysis.tree.parents[use.holder]
                edits.replace(deletion, cst.Expr(cst.parse_expression(f"{self._name}.popleft()")))
            elif self._compares_with_empty(use):
                self._ask(use, edits)
            elif use.kind in _AS_LIST or use.kind is Kind.OTHER:
                edits.replace(use.name, cst.parse_expression(f"list({self._name})"))

    def _is_at_front(self, use: Use) -> bool:
        if use.kind is Kind.BIND:
            return use.holder in self._shrinking | self._prepending
        if use.kind is Kind.STORE_ITEM:
            return isinstance(self._analysis.tree.parents[use.holder], cst.Del) and _index(use.holder) == "0"
        if use.kind is not Kind.METHOD or not use.call.args or any(arg.keyword or arg.star for arg in use.call.args):
            return False
        wanted = {"pop": 1, "insert": 2}.get(use.method)
        return len(use.call.args) == wanted and text(use.call.args[0].value) == "0"

    def _is_growing(self, use: Use) -> bool:
        return use.method == "insert" or use.holder in self._prepending

    def _is_rest(self, use: Use) -> bool:
        """Tell whether this is `q = q[1:]`, right after `q[0]` was read or popped: it is not empty there."""
        if use.kind is not Kind.BIND or not isinstance(use.holder, cst.Assign) or use.value is None:
            return False
        if text(use.value).replace(" ", "") != f"{self._name}[1:]":
            return False
        above = self._line_above(use.holder)
        return above is not None and any(
            _index(self._analysis.tree.parents[node]) == "0"
            and len(self._analysis.repeats(node)) == len(self._analysis.repeats(use.name))
            for node in self._analysis.occurrences(self._name, above)
        )

    def _line_above(self, statement: cst.CSTNode) -> cst.SimpleStatementLine | None:
        """Give the simple statement right above this one."""
        line = self._analysis.tree.line(statement)
        block = list(self._analysis.tree.block(line)) if line is not None else []
        place = block.index(line) if line in block else 0
        above = block[place - 1] if place else None
        return above if isinstance(above, cst.SimpleStatementLine) else None

    def _is_prepended(self, use: Use) -> bool:
        """Tell whether this is `q = [x] + q`."""
        value = use.value
        return (
            use.kind is Kind.BIND
            and isinstance(use.holder, cst.Assign)
            and isinstance(value, cst.BinaryOperation)
            and isinstance(value.operator, cst.Add)
            and text(value.right) == self._name
            and isinstance(value.left, cst.List)
            and len(value.left.elements) == 1
            and isinstance(value.left.elements[0], cst.Element)
            and self._analysis.names(value).reads[self._name] == 1
        )

    def _is_understood(self, use: Use) -> bool:
        match use.kind:
            case Kind.BIND:
                fits = self._is_at_front(use) or self._is_new_list(use)
            case Kind.METHOD:
                fits = self._is_at_front(use) or (use.method in _SAME and not (use.method == "pop" and use.call.args))
            case Kind.INDEX | Kind.STORE_ITEM:
                fits = _index(use.holder) in _NEAR_AN_END and (self._is_at_front(use) or not self._is_deleted(use))
            case Kind.ITERATE | Kind.LAZY:
                fits = not self._is_changed_while_gone_through(use)
            case Kind.AUGMENT:
                fits = isinstance(use.holder, cst.AugAssign) and isinstance(use.holder.operator, cst.AddAssign)
            case Kind.OTHER:
                fits = self._is_last(use)
            case Kind.SLICE:
                fits = not self._analysis.repeats(use.name)
            case _:
                fits = use.kind in _WORKS | _AS_LIST
        return fits

    def _is_new_list(self, use: Use) -> bool:
        if self._types.name(use.value, self._region) == "list":
            return not isinstance(use.value, cst.Name | cst.IfExp)
        # A copy of something unknown: with `pop(0)` on it, it can only be a list.
        pops = any(other.method == "pop" and self._is_at_front(other) for other in self._uses)
        return pops and use.value is not None and text(use.value).endswith((".copy()", "[:]"))

    def _is_deleted(self, use: Use) -> bool:
        return isinstance(self._analysis.tree.parents[use.holder], cst.Del)

    def _is_changed_while_gone_through(self, use: Use) -> bool:
        """Tell whether the list changes under a loop over it, which a deque refuses."""
        loop = next((each for each in self._analysis.tree.ancestors(use.name) if isinstance(each, cst.For)), None)
        if loop is None or not self._analysis.within(use.name, loop.iter):
            return use.kind is Kind.LAZY
        return any(
            other.kind is Kind.AUGMENT or self._is_at_front(other) or other.method in _CHANGING
            for other in self._uses
            if self._analysis.within(other.name, loop.body)
        )

    def _is_last(self, use: Use) -> bool:
        """Tell whether the list goes elsewhere when this function is done with it."""
        loops = self._analysis.repeats(use.name)
        return not isinstance(use.holder, cst.Attribute) and all(
            other is use
            or (
                self._analysis.before(other.name, use.name)
                and not any(self._analysis.within(other.name, loop) for loop in loops)
            )
            for other in self._uses
        )

    def _compares_with_empty(self, use: Use) -> bool:
        """Tell whether this is `q == []` or `q != []`, as a condition."""
        comparison = use.holder
        if use.kind is not Kind.LOOK or not isinstance(comparison, cst.Comparison) or len(comparison.comparisons) != 1:
            return False
        [target] = comparison.comparisons
        return (
            isinstance(target.comparator, cst.List)
            and is_empty(target.comparator)
            and isinstance(target.operator, cst.Equal | cst.NotEqual)
            and is_truth_test(self._analysis.tree, comparison)
        )

    def _ask(self, use: Use, edits: Edits) -> None:
        comparison = use.holder
        if isinstance(comparison, cst.Comparison):
            negation = "not " if isinstance(comparison.comparisons[0].operator, cst.Equal) else ""
            new = cst.parse_expression(f"{negation}{self._name}")
            edits.replace(comparison, new.with_changes(lpar=comparison.lpar, rpar=comparison.rpar))


def _index(node: cst.CSTNode) -> str:
    """Write the index of `x[0]`."""
    if isinstance(node, cst.Subscript) and len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        return text(node.slice[0].slice.value)
    return ""


def _made(spelled: str) -> Callable[[cst.BaseExpression], cst.BaseExpression]:
    def change(value: cst.BaseExpression) -> cst.BaseExpression:
        if isinstance(value, cst.Call) and text(value.func) == "list":
            return value.with_changes(func=cst.parse_expression(spelled))
        arguments = [] if is_empty(value) else [cst.Arg(value)]
        return cst.Call(cst.parse_expression(spelled), arguments)

    return change


def _popleft(call: cst.Call) -> cst.Call:
    return _renamed(call, "popleft", [])


def _appendleft(call: cst.Call) -> cst.Call:
    return _renamed(call, "appendleft", [call.args[1].with_changes(comma=cst.MaybeSentinel.DEFAULT)])


def _renamed(call: cst.Call, method: str, args: Sequence[cst.Arg]) -> cst.Call:
    if not isinstance(call.func, cst.Attribute):
        return call
    return call.with_changes(func=call.func.with_changes(attr=cst.Name(method)), args=args)


def _appending_left(statement: cst.Assign) -> cst.CSTNode:
    """`q = [x] + q` → `q.appendleft(x)`."""
    value = statement.value
    if not isinstance(value, cst.BinaryOperation) or not isinstance(value.left, cst.List):
        return statement
    return cst.Expr(cst.parse_expression(f"{text(value.right)}.appendleft({text(value.left.elements[0].value)})"))

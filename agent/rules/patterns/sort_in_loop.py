"""A list that is sorted again whenever it has grown is kept in order instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.edits import (
    add_after,
    first_argument,
    imported_name,
    is_empty,
    is_repeatable,
    is_statement,
    small_statement,
)
from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.flow import Flow, States
from afterburner.agent.rules.analysis.free_names import canonical, text
from afterburner.agent.rules.analysis.ownership import goes_through, is_renewed, keeps_name
from afterburner.agent.rules.analysis.scope import Analysis, Region
from afterburner.agent.rules.analysis.tree import Edits, walk
from afterburner.agent.rules.analysis.uses import Kind, Use
from afterburner.agent.rules.analysis.value_types import Types
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Sequence

_MADE = cst.List | cst.ListComp | cst.Call | cst.BinaryOperation
_UNORDERED = frozenset((Kind.LENGTH, Kind.TRUTH, Kind.MEMBER))  # the same in any order
_SHRINKS = frozenset(("pop", "remove"))  # leave the others in their order
_READS = frozenset(("copy", "index"))

RAW = "raw"  # in any order, the same before and after the rewrite
SORTED = "sorted"  # in order, the same before and after the rewrite
GROWN = "grown"  # in order after the rewrite, before it with the new elements at its end


class SortInLoop:
    """Insert each new element in its place instead of sorting all of them again.

    Before::

        best = []
        for score in scores:
            best.append(score)
            best.sort()
            medians.append(best[len(best) // 2])

    After::

        best = []
        for score in scores:
            bisect.insort(best, score)
            medians.append(best[len(best) // 2])

    Equal elements keep the order in which they came, as in a sort. A list that is only read through `sorted(…)`
    gets an ordered copy beside it.
    """

    name = "sort-in-loop"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every list of a function's own that grows by `append` and is sorted in a loop."""
        analysis = Analysis(rule_input)
        insort = imported_name(analysis.resolver, "bisect", "insort")
        if insort is None:
            return None
        types, edits = Types(analysis), Edits()
        for region in analysis.regions():
            if not _is_sorted_somewhere(region):
                continue
            effects = Effects(analysis.resolver, region)
            for name in analysis.variables(region):
                found = _Kept(analysis, types, effects, region, name)
                if found.fits():
                    found.keep(edits, insort[0])
                    continue
                copied = _Copied(analysis, types, effects, region, name)
                if copied.fits():
                    copied.accompany(edits, insort[0])
        return RuleOutput(edits.apply(rule_input.scope), insort[1]) if edits else None


class _List:
    """A local variable that is always bound to new lists."""

    def __init__(self, analysis: Analysis, types: Types, effects: Effects, region: Region, name: str) -> None:
        self._analysis, self._effects, self._region, self._name = analysis, effects, region, name
        self._uses = analysis.uses(name, region)
        self._starts = [
            use
            for use in self._uses
            if use.kind is Kind.BIND and isinstance(use.value, _MADE) and types.name(use.value, region) == "list"
        ]

    def _order_of(self, args: Sequence[cst.Arg]) -> str | None:
        """Give the key that `sort` or `sorted` is called with, if it gives the same for the same element all the time.

        None for other orders than ascending.
        """
        key = ""
        for arg in args:
            name = arg.keyword.value if arg.keyword is not None else None
            if name == "reverse" and text(arg.value) == "False":
                continue
            if name != "key" or not self._effects.is_stable(arg.value, self._effects.changes(*_body(self._region))):
                return None
            key = "" if text(arg.value) == "None" else f", key={text(arg.value)}"
        return key

    def _sorted_args(self, value: cst.CSTNode | None) -> Sequence[cst.Arg] | None:
        """Give the arguments after the first one of a `sorted` call."""
        if not isinstance(value, cst.Call) or not self._analysis.resolver.is_call(value, "builtins.sorted"):
            return None
        return value.args[1:] if value.args and not any(arg.star for arg in value.args) else None

    def _is_left_alone(self, use: Use, changes: Sequence[cst.CSTNode]) -> bool:
        """Tell whether nothing that got hold of the list, or goes through it, can meet one of these changes."""
        if use.kind in {Kind.CAPTURED, Kind.REBIND}:
            return False
        if any(goes_through(self._analysis, use, change) for change in changes):
            return False
        return (
            use.kind is Kind.BIND
            or keeps_name(self._analysis, use)
            or all(is_renewed(self._analysis, self._starts, use.name, change) for change in changes)
        )

    def _is_append(self, use: Use) -> bool:
        is_one = use.kind is Kind.METHOD and use.method == "append" and first_argument(use.call) is not None
        return is_one and is_statement(self._analysis.tree, use.call)


class _Kept(_List):
    """A list that is sorted itself: every way through the function leads from each new element to a sort."""

    def __init__(self, analysis: Analysis, types: Types, effects: Effects, region: Region, name: str) -> None:
        super().__init__(analysis, types, effects, region, name)
        self._sorts: dict[cst.CSTNode, Use] = {}  # by the statement
        orders = set()
        inner: set[cst.CSTNode] = set()  # the list in `xs = sorted(xs)`
        for use in self._uses:
            statement, args = small_statement(analysis.tree, use.name), self._resort_args(use)
            if statement is not None and args is not None:
                self._sorts[statement] = use
                orders.add(self._order_of(args))
                inner.update(analysis.occurrences(name, use.value) if use.value is not None else ())
        self._order = orders.pop() if len(orders) == 1 else None
        self._uses = [use for use in self._uses if use.name not in inner]
        self._starts = [use for use in self._starts if use not in self._sorts.values()]
        self._appends = [use for use in self._uses if self._is_append(use) and self._is_sorted_around(use)]
        self._events: dict[cst.CSTNode, list[Use]] = {}
        for use in self._uses:
            node = use.name if use.kind not in {Kind.METHOD, Kind.BIND, Kind.AUGMENT} else use.holder
            self._events.setdefault(node, []).append(use)
        self._presorted: set[cst.CSTNode] = set()
        self._states: dict[cst.CSTNode, States] = {}
        self._is_broken = False

    def fits(self) -> bool:
        """Tell whether the list is in order wherever its order matters, if each new element is put in its place."""
        changes = [*self._sorts, *(use.call for use in self._appends)]
        if self._order is None or not self._appends or not self._starts:
            return False
        if not all(self._is_left_alone(use, changes) for use in self._uses):
            return False
        while True:
            self._states = {}
            Flow(self._step, self._left).run(_statements(self._region), frozenset((RAW,)))
            loops = {loop for sort in self._sorts if (loop := self._loop_to_sort_before(sort)) is not None}
            if self._is_broken or loops <= self._presorted:
                break
            self._presorted |= loops
        are_placed = all(RAW not in self._states.get(use.name, frozenset()) for use in self._appends)
        return not self._is_broken and are_placed and any(self._analysis.repeats(sort) for sort in self._needless())

    def keep(self, edits: Edits, insort: str) -> None:
        """Put new elements in their places."""
        tree = self._analysis.tree
        for use in self._appends:
            edits.replace(use.call, _inserted(insort, self._name, use.call.args[0].value, self._order or ""))
        for sort in self._needless():
            line = tree.parents[sort]
            is_alone = isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1
            edits.remove(line if is_alone else sort)
        for loop in self._presorted:
            if isinstance(loop, cst.For | cst.While):
                edits.insert_before(loop, f"{self._name}.sort({(self._order or '').removeprefix(', ')})")

    def _resort_args(self, use: Use) -> Sequence[cst.Arg] | None:
        """Give the arguments of `xs.sort(…)` or, after the first, of `xs = sorted(xs, …)`."""
        if use.kind is Kind.METHOD and use.method == "sort":
            return use.call.args if is_statement(self._analysis.tree, use.call) else None
        is_plain = use.kind is Kind.BIND and isinstance(use.holder, cst.Assign) and use.holder.value is use.value
        args = self._sorted_args(use.value) if is_plain else None
        is_same = (
            isinstance(use.value, cst.Call) and bool(use.value.args) and text(use.value.args[0].value) == self._name
        )
        return args if is_same else None

    def _is_sorted_around(self, use: Use) -> bool:
        """Tell whether one and the same list grows here and is sorted, again and again."""
        tree = self._analysis.tree
        return any(
            any(tree.within(sort, loop) for sort in self._sorts)
            and not any(tree.within(start.name, loop) for start in self._starts)
            for loop in tree.loops(use.name)
        )

    def _needless(self) -> list[cst.CSTNode]:
        """Give the sorts of what is in order already."""
        return [sort for sort, use in self._sorts.items() if RAW not in self._states.get(use.name, frozenset((RAW,)))]

    def _loop_to_sort_before(self, sort: cst.CSTNode) -> cst.CSTNode | None:
        """Give the loop that begins with this sort, of what may not be in order when the loop begins."""
        tree, use = self._analysis.tree, self._sorts[sort]
        line, loops = tree.line(sort), tree.loops(sort)
        is_entered_raw = RAW in self._states.get(use.name, frozenset())
        if not is_entered_raw or not loops or line is None or tree.line(loops[0]) is not loops[0]:
            return None
        return loops[0] if tree.parents.get(line) is loops[0].body else None

    def _step(self, node: cst.CSTNode, states: States) -> States:
        if node in self._presorted:
            return frozenset(GROWN if state == RAW else state for state in states)
        for use in self._events.get(node, ()):
            self._states[use.name] = self._states.get(use.name, frozenset()) | states
            states = self._after(use, states)
        return states

    def _left(self, node: cst.CSTNode, states: States) -> States:
        """Tell that what a loop leaves one element of, or none, is in order: `while jobs:`."""
        ends = (self._name, *(f"len({self._name}){test}" for test in ("", " > 0", " != 0", " >= 1", " > 1", " >= 2")))
        is_few = isinstance(node, cst.While) and canonical(node.test) in ends
        return frozenset((SORTED,)) if is_few else states

    def _after(self, use: Use, states: States) -> States:
        """Give what holds after one use; a use that would meet another order breaks the rewrite."""
        after = states
        if use in self._sorts.values():
            return frozenset((SORTED,))
        if use in self._appends:
            return frozenset(RAW if state == RAW else GROWN for state in states)
        if use.kind is Kind.BIND:
            return frozenset((SORTED if self._starts_sorted(use.value) else RAW,))
        if use.kind in _UNORDERED or use.method == "count":
            return states
        if use.kind is Kind.METHOD:
            is_whole = is_statement(self._analysis.tree, use.call)
            if use.method == "clear" and is_whole:
                return frozenset((SORTED,))
            if use.method not in _SHRINKS | _READS:
                self._is_broken |= not is_whole
                after = frozenset((RAW,))
        is_taken = isinstance(small_statement(self._analysis.tree, use.name), cst.Del)
        if use.kind is Kind.AUGMENT or (use.kind is Kind.STORE_ITEM and not is_taken):
            after = frozenset((RAW,))
        self._is_broken |= GROWN in states
        return after

    def _starts_sorted(self, value: cst.BaseExpression | None) -> bool:
        if isinstance(value, cst.List) and len(value.elements) == 1:
            return isinstance(value.elements[0], cst.Element)
        args = self._sorted_args(value)
        return (value is not None and is_empty(value)) or (args is not None and self._order_of(args) == self._order)


class _Copied(_List):
    """A list that stays in the order in which it grows, and is asked for sorted copies."""

    def __init__(self, analysis: Analysis, types: Types, effects: Effects, region: Region, name: str) -> None:
        super().__init__(analysis, types, effects, region, name)
        self._copies = [
            use for use in self._uses if use.kind is Kind.CONSUME and self._sorted_args(use.holder) is not None
        ]
        self._appends = [use for use in self._uses if self._is_append(use)]
        orders = {self._order_of(self._sorted_args(use.holder) or ()) for use in self._copies}
        self._order = orders.pop() if len(orders) == 1 else None

    def fits(self) -> bool:
        """Tell whether the list only grows, by one element at a time, and is sorted again in the same loop."""
        tree = self._analysis.tree
        again = [
            copy
            for copy in self._copies
            for loop in tree.loops(copy.name)
            if any(tree.within(use.name, loop) for use in self._appends)
            and not any(tree.within(start.name, loop) for start in self._starts)
        ]
        changes = [each.name for each in (*self._copies, *self._appends)]
        if self._order is None or not again:
            return False
        return all(self._only_grows(use) and self._is_left_alone(use, changes) for use in self._uses)

    def accompany(self, edits: Edits, insort: str) -> None:
        """Keep an ordered list beside the other one."""
        tree, key = self._analysis.tree, self._order or ""
        ordered = self._analysis.fresh(f"{self._name}_sorted", self._region)
        for start in self._starts:
            statement = small_statement(tree, start.name)
            if statement is not None and start.value is not None:
                made = "[]" if is_empty(start.value) else f"sorted({self._name}{key})"
                add_after(tree, edits, statement, f"{ordered} = {made}")
        for use in self._appends:
            added, statement = use.call.args[0].value, small_statement(tree, use.name)
            again = text(added) if is_repeatable(added) else f"{self._name}[-1]"
            if statement is not None:
                add_after(tree, edits, statement, f"{insort}({ordered}, {again}{key})")
        for copy in self._copies:
            above = tree.parents.get(copy.holder)
            is_item = isinstance(above, cst.Subscript) and above.value is copy.holder
            edits.replace(copy.holder, cst.parse_expression(ordered if is_item else f"{ordered}.copy()"))

    def _only_grows(self, use: Use) -> bool:
        if use.kind is Kind.BIND:
            return use in self._starts
        if use.kind is Kind.METHOD:
            return use in self._appends or use.method in _READS | {"count"}
        return use.kind not in {Kind.STORE_ITEM, Kind.AUGMENT}


def _is_sorted_somewhere(region: Region) -> bool:
    return any(isinstance(node, cst.Name) and node.value in {"sort", "sorted"} for node in walk(region))


def _body(region: Region) -> Sequence[cst.CSTNode]:
    """Give the code of a region, without its parameters and decorators."""
    return [region.body] if isinstance(region, cst.FunctionDef) else region.body


def _statements(region: Region) -> Sequence[cst.CSTNode]:
    return region.body.body if isinstance(region, cst.FunctionDef) else region.body


def _inserted(insort: str, name: str, added: cst.BaseExpression, key: str) -> cst.BaseExpression:
    written = text(added)
    if isinstance(added, cst.GeneratorExp) and not added.lpar:
        written = f"({written})"
    return cst.parse_expression(f"{insort}({name}, {written}{key})")

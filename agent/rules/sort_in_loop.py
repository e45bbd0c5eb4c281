"""Lists that are sorted again after each addition are kept in order by inserting at the right place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis import Analysis, Region
from afterburner.agent.rules.analysis_edit import first_argument, imported_name, is_statement
from afterburner.agent.rules.analysis_types import Types
from afterburner.agent.rules.analysis_uses import Kind, Use
from afterburner.agent.rules.base import RuleInput, RuleOutput
from afterburner.agent.rules.effects import Effects
from afterburner.agent.rules.names import text
from afterburner.agent.rules.tree import Edits, walk

if TYPE_CHECKING:
    from collections.abc import Callable

_KEEPS_ORDER = {"append", "sort", "pop", "remove", "clear", "copy", "count", "index"}
_ORDER_DOES_NOT_MATTER = {Kind.LENGTH, Kind.TRUTH, Kind.MEMBER}
_GOES_ELSEWHERE = {Kind.OTHER, Kind.CAPTURED, Kind.REBIND, Kind.AUGMENT}


class SortInLoop:
    """Insert into a sorted list instead of sorting it again.

    Before::

        while jobs:
            jobs.sort()
            job = jobs.pop(0)
            if job.rest:
                jobs.append(job.next())

    After::

        jobs.sort()
        while jobs:
            job = jobs.pop(0)
            if job.rest:
                bisect.insort(jobs, job.next())

    `insort` puts a new element behind equal ones, as sorting does.
    """

    name = "sort-in-loop"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every local list that a loop sorts by one and the same key."""
        analysis = Analysis(rule_input)
        found = imported_name(analysis.resolver, "bisect", "insort")
        if found is None:
            return None
        spelled, imports = found
        types, edits = Types(analysis), Edits()
        for region in analysis.regions():
            effects = None
            for name in analysis.variables(region):
                if not any(use.method == "sort" or _is_sorting(use) for use in analysis.uses(name, region)):
                    continue
                effects = effects or Effects(analysis.resolver, region)
                kept = _KeptInOrder(analysis, effects, region, name)
                if types.is_list(name, region) and kept.is_understood():
                    kept.change(spelled, edits)
        return RuleOutput(edits.apply(rule_input.scope), imports) if edits else None


class _KeptInOrder:
    """A local list, with the statements that sort it and those that add to it."""

    def __init__(self, analysis: Analysis, effects: Effects, region: Region, name: str) -> None:
        self._analysis, self._effects, self._region, self._name = analysis, effects, region, name
        every = analysis.uses(name, region)
        self._resorts = [use for use in every if _is_sorting(use)]
        inner = [use for use in every if any(analysis.within(use.name, each.holder) for each in self._resorts)]
        self._uses = [use for use in every if use not in inner]
        sorts = [use for use in self._uses if use.method == "sort"]
        self._sorts = [use for use in (*sorts, *self._resorts) if analysis.repeats(use.name)]
        self._appends = [use for use in self._uses if use.method == "append" and analysis.repeats(use.name)]

    def is_understood(self) -> bool:
        """Tell whether all that happens to the list is known, and it is sorted by what does not change meanwhile."""
        if not self._sorts or not self._appends or len({self._options(use) for use in self._sorts}) != 1:
            return False
        if any(not is_statement(self._analysis.tree, use.call) for use in self._appends):
            return False
        if any(self._options(use) is None for use in self._sorts):
            return False
        return all(self._keeps_order(use) for use in self._uses) and self._has_steady_keys()

    def change(self, insort: str, edits: Edits) -> None:
        """Insert in order: where each addition is followed by sorting, or where a loop sorts before it looks."""
        pairs = [self._append_above(use) for use in self._sorts]
        options = self._options(self._sorts[0]) or ""
        if all(pairs) and len(pairs) == len(self._appends) and self._starts_sorted():
            for use in self._appends:
                edits.change(use.call, _inserting(insort, options))
            for use in self._sorts:
                edits.remove(self._line(use))
            return
        loop = self._loop_that_sorts_first()
        if loop is None or len(self._sorts) != 1:
            return
        edits.insert_before(loop, f"{self._name}.sort({options.removeprefix(', ')})")
        edits.remove(self._line(self._sorts[0]))
        for use in self._appends:
            edits.change(use.call, _inserting(insort, options))

    def _line(self, use: Use) -> cst.CSTNode:
        """Give the line of a sort, which stands alone on it."""
        return self._analysis.tree.line(use.name) or use.name

    def _options(self, use: Use) -> str | None:
        """Write the key that is sorted by; None for anything but a key."""
        call = use.value if use.kind is Kind.BIND else use.holder
        args = call.args[use.kind is Kind.BIND :] if isinstance(call, cst.Call) else ()
        line = self._analysis.tree.line(use.name)
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
            return None
        if use.kind is Kind.METHOD and not is_statement(self._analysis.tree, use.call):
            return None
        if len(args) > 1 or any(arg.keyword is None or arg.keyword.value != "key" for arg in args):
            return None
        return f", key={text(args[0].value)}" if args else ""

    def _keeps_order(self, use: Use) -> bool:
        if use.kind is Kind.METHOD:
            return use.method in _KEEPS_ORDER and (use.method != "append" or len(use.call.args) == 1)
        if use.kind is Kind.STORE_ITEM:
            return isinstance(self._analysis.tree.parents[use.holder], cst.Del)
        return use.kind not in _GOES_ELSEWHERE

    def _has_steady_keys(self) -> bool:
        """Tell whether elements stay in order as long as they are in the list."""
        loops = [loop for use in self._sorts for loop in self._analysis.repeats(use.name)]
        changes = self._effects.changes(*loops)
        stores = [node for loop in loops for node in walk(loop) if isinstance(node, cst.AssignTarget | cst.AugAssign)]
        for use in self._uses:
            if use.kind is Kind.ITERATE and isinstance(use.holder, cst.For):
                inside = [node for node in stores if self._analysis.within(node, use.holder)]
                if any(not isinstance(node.target, cst.Name | cst.Tuple) for node in inside):
                    return False
        keys = [arg.value for use in self._sorts for arg in self._key_arguments(use)]
        if changes.attributes and not keys:
            return False
        return all(
            self._effects.is_pure(key) and self._effects.is_stable(key, changes)
            for key in keys
            if not self._analysis.resolver.qualified(key)
        )

    @staticmethod
    def _key_arguments(use: Use) -> list[cst.Arg]:
        call = use.value if use.kind is Kind.BIND else use.holder
        return [arg for arg in call.args if arg.keyword is not None] if isinstance(call, cst.Call) else []

    def _append_above(self, use: Use) -> Use | None:
        """Give the addition right above a sort."""
        line = self._analysis.tree.line(use.name)
        block = list(self._analysis.tree.block(line)) if line is not None else []
        place = block.index(line) if line in block else 0
        above = block[place - 1] if place else None
        if not isinstance(above, cst.SimpleStatementLine) or len(above.body) != 1:
            return None
        return next((each for each in self._appends if self._analysis.within(each.name, above)), None)

    def _starts_sorted(self) -> bool:
        """Tell whether the list is in order before anything is added in a loop."""
        binds = [use.value for use in self._uses if use.kind is Kind.BIND]
        others = [
            use for use in self._uses if use.method in {"append", "sort"} and not self._analysis.repeats(use.name)
        ]
        return not others and all(
            (isinstance(value, cst.List) and len(value.elements) <= 1)
            or (isinstance(value, cst.Call) and text(value) == "list()")
            or (isinstance(value, cst.Call) and text(value.func) == "sorted" and self._is_same_order(value))
            for value in binds
        )

    def _is_same_order(self, call: cst.Call) -> bool:
        options = "".join(f", {text(arg)}".rstrip(",") for arg in call.args[1:])
        return options.replace(" ", "") == (self._options(self._sorts[0]) or "").replace(" ", "")

    def _loop_that_sorts_first(self) -> cst.While | None:
        """Give `while x:` or `while len(x) > 1:` that sorts, then looks, then adds.

        Such a loop ends with at most one element in the list, so nobody sees the order that it leaves.
        """
        sort = self._sorts[0]
        loops = self._analysis.repeats(sort.name)
        loop = loops[0]
        line = self._analysis.tree.line(sort.name)
        if len(loops) != 1 or not isinstance(loop, cst.While) or line not in self._analysis.tree.block(line or loop):
            return None
        written = text(loop.test).replace(" ", "")
        few = {
            self._name,
            f"len({self._name})>0",
            f"len({self._name})>1",
            f"len({self._name})>=2",
            f"len({self._name})",
        }
        if written not in few or self._analysis.tree.parents.get(line or loop) is not loop.body:
            return None
        breaks = [node for node in walk(loop.body) if isinstance(node, cst.Break)]
        inside = [use for use in self._uses if self._analysis.within(use.name, loop.body)]
        if breaks or loop.orelse is not None or any(use.kind is Kind.BIND for use in inside):
            return None
        if any(not self._analysis.within(use.name, loop) for use in self._appends):
            return None
        first_append = next((use for use in inside if use.method == "append"), None)
        looks = [
            use
            for use in inside
            if use.kind not in _ORDER_DOES_NOT_MATTER and use is not sort and use.method != "append"
        ]
        in_order = all(
            self._analysis.before(sort.name, use.name)
            and (first_append is None or self._analysis.before(use.name, first_append.name))
            for use in looks
        )
        return loop if in_order else None


def _is_sorting(use: Use) -> bool:
    """Tell whether this is `x = sorted(x)`."""
    if use.kind is not Kind.BIND or not isinstance(use.value, cst.Call) or text(use.value.func) != "sorted":
        return False
    first = use.value.args[0] if use.value.args else None
    return first is not None and first.keyword is None and text(first.value) == use.name.value


def _inserting(insort: str, options: str) -> Callable[[cst.Call], cst.BaseExpression]:
    def change(call: cst.Call) -> cst.BaseExpression:
        owner = call.func.value if isinstance(call.func, cst.Attribute) else call.func
        added = first_argument(call)
        if added is None:
            return call
        return cst.parse_expression(f"{insort}({text(owner)}, {text(added)}{options})")

    return change

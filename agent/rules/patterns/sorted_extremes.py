"""Sorting everything to look at the first few elements gives way to a search for these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.edits import imported_name, is_repeatable
from afterburner.agent.rules.analysis.free_names import text
from afterburner.agent.rules.analysis.scope import Analysis, Region
from afterburner.agent.rules.analysis.tree import Edits
from afterburner.agent.rules.analysis.uses import Kind
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from afterburner.agent.rules.analysis.tree import Tree

_FEW = 100  # elements up to which looking for the smallest beats sorting in most lists


@dataclass(frozen=True, slots=True)
class _Sorted:
    """A call of `sorted`: what is sorted, by which key, and which way."""

    iterable: str
    key: str  # ", key=…" or nothing
    is_reversed: bool

    def first(self, heapq: str, count: str) -> str:
        """The first `count` elements: equal elements stay in their order, as sorting leaves them."""
        return f"{heapq}.{'nlargest' if self.is_reversed else 'nsmallest'}({count}, {self.iterable}{self.key})"

    def last(self, heapq: str, count: str) -> str:
        """The last `count` elements, the last one first: among equal ones the last of the iterable counts."""
        name = "nsmallest" if self.is_reversed else "nlargest"
        return f"{heapq}.{name}({count}, reversed([*{self.iterable}]){self.key})"

    def extreme(self, *, is_first: bool) -> str:
        """The first or last element where there certainly is one."""
        name = "max" if is_first is self.is_reversed else "min"
        source = self.iterable if is_first else f"reversed([*{self.iterable}])"
        return f"{name}({source}{self.key})"


class SortedExtremes:
    """Find the smallest or largest elements instead of sorting all of them.

    Before::

        if not offers:
            return None
        return sorted(offers, key=price)[0], sorted(offers)[:5]

    After::

        if not offers:
            return None
        return min(offers, key=price), heapq.nsmallest(5, offers)

    If the iterable may be empty, `heapq.nsmallest(1, …)[0]` raises the same IndexError as sorting.
    """

    name = "sorted-extremes"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every sorted list of which only a few elements at one end are looked at."""
        analysis = Analysis(rule_input)
        found = imported_name(analysis.resolver, "heapq", "nsmallest")
        if found is None:
            return None
        heapq, edits = found[0].removesuffix(".nsmallest"), Edits()
        if heapq == found[0]:  # imported by itself, without its module
            return None
        needs_heapq = False
        for subscript in analysis.tree.find(cst.Subscript):
            new = _taken(analysis, subscript, heapq)
            if new is not None:
                needs_heapq |= heapq in new
                edits.replace(subscript, cst.parse_expression(new))
        for region in analysis.regions():
            needs_heapq |= _shorten_variables(analysis, region, heapq, edits)
        if not edits:
            return None
        return RuleOutput(edits.apply(rule_input.scope), found[1] if needs_heapq else ())


def _taken(analysis: Analysis, subscript: cst.Subscript, heapq: str) -> str | None:
    """What `sorted(…)[…]` becomes."""
    call = _sorted_call(analysis, subscript.value)
    if call is None or len(subscript.slice) != 1:
        return None
    wanted = subscript.slice[0].slice
    if isinstance(wanted, cst.Index):
        return _element(analysis, subscript, call, wanted, heapq)
    return _few(call, wanted, heapq)


def _element(analysis: Analysis, subscript: cst.Subscript, call: _Sorted, wanted: cst.Index, heapq: str) -> str | None:
    place = _literal(wanted.value)
    if place is None or not -_FEW <= place < _FEW:
        return None
    if place in {0, -1} and _has_elements(analysis.tree, subscript, call.iterable):
        return call.extreme(is_first=place == 0)
    if place >= 0:
        return f"{call.first(heapq, str(place + 1))}[{place}]"
    return f"{call.last(heapq, str(-place))}[{-place - 1}]"


def _few(call: _Sorted, wanted: cst.BaseSlice, heapq: str) -> str | None:
    if not isinstance(wanted, cst.Slice) or (wanted.step is not None and text(wanted.step) != "1"):
        return None
    if wanted.lower is None and wanted.upper is not None:
        count = _literal(wanted.upper)
        if count is not None:
            return call.first(heapq, str(count)) if 0 <= count <= _FEW else None
        limit = text(wanted.upper)
        whole = f"sorted({call.iterable}{call.key}{', reverse=True' if call.is_reversed else ''})[:{limit}]"
        return f"({call.first(heapq, limit)} if {limit} >= 0 else {whole})" if is_repeatable(wanted.upper) else None
    if wanted.upper is None and wanted.lower is not None:
        start = _literal(wanted.lower)
        if start is not None and -_FEW <= start < 0:
            return f"{call.last(heapq, str(-start))}[::-1]"
    return None


def _shorten_variables(analysis: Analysis, region: Region, heapq: str, edits: Edits) -> bool:
    """`ordered = sorted(…)` of which only the first few elements are read."""
    changed = False
    for name in analysis.variables(region):
        uses = analysis.uses(name, region)
        binds = [use for use in uses if use.kind is Kind.BIND]
        reads = [use for use in uses if use.kind is not Kind.BIND]
        if len(binds) != 1 or not reads or binds[0].value is None:
            continue
        call = _sorted_call(analysis, binds[0].value)
        needed = [_reach(use.holder) for use in reads if use.kind in {Kind.INDEX, Kind.SLICE}]
        is_looked_at_only = all(use.kind in {Kind.INDEX, Kind.SLICE, Kind.TRUTH} for use in reads)
        if call is None or not needed or not is_looked_at_only or None in needed:
            continue
        edits.replace(binds[0].value, cst.parse_expression(call.first(heapq, str(max(reach or 0 for reach in needed)))))
        changed = True
    return changed


def _reach(subscript: cst.CSTNode) -> int | None:
    """How many of the first elements a subscript can see; None if it may see more than a few."""
    if not isinstance(subscript, cst.Subscript) or len(subscript.slice) != 1:
        return None
    wanted = subscript.slice[0].slice
    if isinstance(wanted, cst.Index):
        place = _literal(wanted.value)
        return place + 1 if place is not None and 0 <= place < _FEW else None
    if not isinstance(wanted, cst.Slice) or wanted.step is not None or wanted.upper is None:
        return None
    lower = 0 if wanted.lower is None else _literal(wanted.lower)
    upper = _literal(wanted.upper)
    return upper if lower is not None and lower >= 0 and upper is not None and 0 < upper <= _FEW else None


def _sorted_call(analysis: Analysis, node: cst.BaseExpression) -> _Sorted | None:
    if not isinstance(node, cst.Call) or not analysis.resolver.is_call(node, "builtins.sorted") or not node.args:
        return None
    first, *others = node.args
    keywords = {argument.keyword.value: argument.value for argument in others if argument.keyword is not None}
    if (
        first.keyword is not None
        or first.star
        or len(keywords) != len(others)
        or not keywords.keys() <= {"key", "reverse"}
    ):
        return None
    is_reversed = text(keywords["reverse"]) if "reverse" in keywords else "False"
    if is_reversed not in {"True", "False"}:
        return None
    key = f", key={text(keywords['key'])}" if "key" in keywords else ""
    # A generator expression may go without brackets only as the sole argument.
    iterable = text(first.value)
    if isinstance(first.value, cst.GeneratorExp) and not first.value.lpar:
        iterable = f"({iterable})"
    return _Sorted(iterable, key, is_reversed == "True")


def _literal(value: cst.BaseExpression) -> int | None:
    if isinstance(value, cst.Integer):
        return value.evaluated_value
    is_negative = isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Minus)
    if is_negative and isinstance(value, cst.UnaryOperation) and isinstance(value.expression, cst.Integer):
        return -value.expression.evaluated_value
    return None


def _has_elements(tree: Tree, node: cst.CSTNode, iterable: str) -> bool:
    """Whether a test around the node, or one above it that leaves, makes sure that the iterable is not empty."""
    below: cst.CSTNode = node
    for ancestor in tree.ancestors(node):
        if (
            isinstance(ancestor, cst.If | cst.While)
            and below is ancestor.body
            and _says_not_empty(ancestor.test, iterable)
        ):
            return True
        if isinstance(ancestor, cst.IfExp) and below is ancestor.body and _says_not_empty(ancestor.test, iterable):
            return True
        if isinstance(ancestor, cst.FunctionDef | cst.Lambda):
            return False
        if isinstance(ancestor, cst.BaseStatement) and _left_if_empty(tree, ancestor, iterable):
            return True
        below = ancestor
    return False


def _left_if_empty(tree: Tree, statement: cst.BaseStatement, iterable: str) -> bool:
    """Whether `if not x: return …` stands right above in the same block."""
    block = list(tree.block(statement))
    above = block[: block.index(statement)] if statement in block else []
    guard = above[-1] if above else None
    if not isinstance(guard, cst.If) or guard.orelse is not None:
        return False
    last = guard.body.body[-1]
    leaves = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    is_empty = text(guard.test) in {f"not {iterable}", f"len({iterable}) == 0"}
    return is_empty and isinstance(leaves, cst.Return | cst.Raise | cst.Continue | cst.Break)


def _says_not_empty(test: cst.BaseExpression, iterable: str) -> bool:
    return text(test) in {iterable, f"len({iterable}) > 0", f"len({iterable})"}

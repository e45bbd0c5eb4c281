"""What is looked for in the rest of a string is looked for there, not in a copy of the rest."""

from __future__ import annotations

import libcst as cst

from afterburner.agent.rules.analysis.edits import first_argument
from afterburner.agent.rules.analysis.free_names import operand, text
from afterburner.agent.rules.analysis.scope import Analysis
from afterburner.agent.rules.analysis.tree import Edits, walk
from afterburner.agent.rules.analysis.value_types import Types
from afterburner.agent.rules.rule import RuleInput, RuleOutput

_TEXTS = frozenset(("str", "bytes"))
_OF_TEXTS = frozenset(("startswith", "endswith"))  # methods that only strings have
_MAY_CHANGE = (cst.Call, cst.Await, cst.Yield, cst.NamedExpr)


class StringScan:
    """Search part of a string without copying it.

    Before::

        while i < len(text):
            if text[i:].startswith("<!--"):
                closed = "-->" in text[i:]

    After::

        while i < len(text):
            if text.startswith("<!--", i):
                closed = text.find("-->", i) >= 0

    One difference: past the end of the string, the copy is empty, and an empty string is found in it.
    """

    name = "string-scan"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every search in a slice of a string."""
        analysis = Analysis(rule_input)
        types, edits = Types(analysis), Edits()
        for call in analysis.find(cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value in _OF_TEXTS:
                part, wanted = _part(call.func.value), first_argument(call)
                if part is not None and wanted is not None and _is_steady(part, wanted):
                    edits.change(call, _look_there)
        for region in analysis.regions():
            for comparison in analysis.find(cst.Comparison):
                part = _searched(comparison) if analysis.region_of(comparison) is region else None
                if part is not None and types.name(part.value, region) in _TEXTS:
                    edits.change(comparison, _find_there)
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


def _part(node: cst.BaseExpression) -> cst.Subscript | None:
    """Give a slice without a step that has bounds."""
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
        return None
    wanted = node.slice[0].slice
    has_bounds = isinstance(wanted, cst.Slice) and wanted.step is None and (wanted.lower or wanted.upper)
    return node if has_bounds else None


def _searched(comparison: cst.Comparison) -> cst.Subscript | None:
    """Give the slice in `wanted in text[i:]`."""
    [target, *others] = comparison.comparisons
    part = _part(target.comparator)
    if others or part is None or not isinstance(target.operator, cst.In | cst.NotIn):
        return None
    return part if _is_steady(part, comparison.left) else None


def _is_steady(part: cst.Subscript, wanted: cst.BaseExpression) -> bool:
    """Tell whether the order does not matter in which the bounds, and what is looked for, are evaluated."""
    return not any(isinstance(node, _MAY_CHANGE) for node in walk(wanted)) or not any(
        isinstance(node, cst.Name | cst.Call) for node in walk(part)
    )


def _bounds(part: cst.Subscript) -> str:
    wanted = cst.ensure_type(part.slice[0].slice, cst.Slice)
    lower = text(wanted.lower) if wanted.lower is not None else "0"
    return f"{lower}, {text(wanted.upper)}" if wanted.upper is not None else lower


def _look_there(call: cst.Call) -> cst.BaseExpression:
    """`text[i:j].startswith(p)` → `text.startswith(p, i, j)`."""
    method = cst.ensure_type(call.func, cst.Attribute)
    part = cst.ensure_type(method.value, cst.Subscript)
    wanted = cst.Arg(call.args[0].value)
    bounds = cst.ensure_type(cst.parse_expression(f"f({_bounds(part)})"), cst.Call).args
    return call.with_changes(func=method.with_changes(value=part.value), args=[wanted, *bounds])


def _find_there(comparison: cst.Comparison) -> cst.BaseExpression:
    """`p in text[i:]` → `text.find(p, i) >= 0`."""
    [target] = comparison.comparisons
    part = cst.ensure_type(target.comparator, cst.Subscript)
    test = ">= 0" if isinstance(target.operator, cst.In) else "< 0"
    found = cst.parse_expression(f"{operand(part.value)}.find({text(comparison.left)}, {_bounds(part)}) {test}")
    return found.with_changes(lpar=comparison.lpar, rpar=comparison.rpar)

"""Loops that only fill a list, a set or a dictionary become comprehensions."""

from __future__ import annotations

import libcst as cst

from afterburner.agent.rules.analysis.accumulation import Accumulation, accumulations, has_comment
from afterburner.agent.rules.analysis.free_names import text
from afterburner.agent.rules.analysis.scope import Analysis
from afterburner.agent.rules.analysis.tree import Edits, contains, is_name
from afterburner.agent.rules.rule import RuleInput, RuleOutput

_CALL = (cst.Call, cst.Await)


class AccumulateComprehension:
    """Build a list, set or dictionary with a comprehension.

    Before::

        names = []
        for row in rows:
            if row.active:
                names.append(row.name)

    After::

        names = [row.name for row in rows if row.active]
    """

    name = "accumulate-comprehension"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every such loop of the scope."""
        analysis, edits = Analysis(rule_input), Edits()
        for region in analysis.regions():
            for found in accumulations(analysis, region):
                built = None if has_comment(found.loop) else _comprehension(analysis, found)
                if built is not None and not edits.touches(found.loop):
                    line = cst.SimpleStatementLine([found.replace_start(built)])
                    edits.replace(found.loop, line.with_changes(leading_lines=found.loop.leading_lines))
                    edits.remove(found.start)
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


def _comprehension(analysis: Analysis, found: Accumulation) -> str | None:
    start, name = text(found.value).replace(" ", ""), found.name
    step = found.step
    if len(analysis.occurrences(name, found.loop)) != 1:
        return None
    if isinstance(step, cst.Expr) and isinstance(step.value, cst.Call):
        method, element = _method(step.value, name)
        if start in {"[]", "list()"} and method == "append":
            return f"[{element} {found.clauses}]"
        if start == "set()" and method == "add":
            return f"{{{element} {found.clauses}}}"
    if isinstance(step, cst.Assign) and start in {"{}", "dict()"}:
        return _dictionary(step, found)
    return None


def _method(call: cst.Call, name: str) -> tuple[str, str]:
    if not isinstance(call.func, cst.Attribute) or not is_name(call.func.value, name):
        return "", ""
    if len(call.args) != 1 or call.args[0].keyword is not None or call.args[0].star:
        return "", ""
    value = call.args[0].value
    element = text(value)
    if isinstance(value, cst.GeneratorExp | cst.Tuple) and not value.lpar:
        element = f"({element})"
    return call.func.attr.value, element


def _dictionary(step: cst.Assign, found: Accumulation) -> str | None:
    """`d[key] = value`: the value is evaluated first there, the key in a comprehension."""
    target = step.targets[0].target
    if len(step.targets) != 1 or not isinstance(target, cst.Subscript) or not is_name(target.value, found.name):
        return None
    parts = [element.slice for element in target.slice]
    if not all(isinstance(part, cst.Index) and part.star is None for part in parts):
        return None
    key = ", ".join(text(part) for part in parts)
    key = f"({key})" if len(parts) > 1 else key
    if contains(target, *_CALL) and contains(step.value, *_CALL):
        return None
    value = text(step.value)
    if isinstance(step.value, cst.Tuple) and not step.value.lpar:
        value = f"({value})"
    return f"{{{key}: {value} {found.clauses}}}"

"""Loops that only add up, count or look for one hit become `sum`, `any` and `all`."""

from __future__ import annotations

import libcst as cst

from afterburner.agent.rules.analysis.accumulation import Accumulation, accumulations, has_comment, take_apart
from afterburner.agent.rules.analysis.free_names import names_in, text
from afterburner.agent.rules.analysis.scope import Analysis, Region
from afterburner.agent.rules.analysis.tree import Edits, contains, is_name
from afterburner.agent.rules.rule import RuleInput, RuleOutput


class AccumulateBuiltin:
    """Replace the loop by a builtin.

    Before::

        total = 0
        for row in rows:
            total += row.amount
        for row in rows:
            if row.is_late:
                return True
        return False

    After::

        total = sum(row.amount for row in rows)
        return any(row.is_late for row in rows)

    From Python 3.12 on, `sum` adds floats more exactly than a loop; if the result differs, the judge refuses it.
    """

    name = "accumulate-builtin"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every such loop of the scope."""
        analysis, edits = Analysis(rule_input), Edits()
        for region in analysis.regions():
            for found in accumulations(analysis, region):
                built = None if has_comment(found.loop) else _sum(analysis, found)
                if built is not None and not edits.touches(found.loop):
                    line = cst.SimpleStatementLine([found.replace_start(built)])
                    edits.replace(found.loop, line.with_changes(leading_lines=found.loop.leading_lines))
                    edits.remove(found.start)
            for loop in analysis.tree.find(cst.For):
                if analysis.region_of(loop) is region and not has_comment(loop) and not edits.touches(loop):
                    _search(analysis, region, loop, edits)
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


def _sum(analysis: Analysis, found: Accumulation) -> str | None:
    step = found.step
    is_addition = isinstance(step, cst.AugAssign) and isinstance(step.operator, cst.AddAssign)
    if not is_addition or len(analysis.occurrences(found.name, found.loop)) != 1:
        return None
    if not isinstance(step, cst.AugAssign) or not is_name(step.target, found.name):
        return None
    if not isinstance(found.value, cst.Integer | cst.Float) or not _is_spelled(analysis, "sum"):
        return None
    added = f"{text(step.value)} {found.clauses}"
    return f"sum({added})" if text(found.value) == "0" else f"sum(({added}), {text(found.value)})"


def _search(analysis: Analysis, region: Region, loop: cst.For, edits: Edits) -> None:
    """`for …: if …: return True`, and `return False` right below."""
    taken_apart = take_apart(loop)
    block = list(analysis.tree.block(loop))
    below = block[block.index(loop) + 1 :] if loop in block else []
    if taken_apart is None or not below or " if " not in taken_apart[0] or contains(loop, cst.Yield, cst.Await):
        return
    clauses, step = taken_apart
    hit, miss = _returned(step), _returned(below[0])
    names = names_in(loop.target).binds
    leaks = any(len(analysis.occurrences(n, loop)) != len(analysis.occurrences(n, region)) for n in names)
    if leaks or {hit, miss} != {"True", "False"}:
        return
    builtin = "any" if hit == "True" else "all"
    if not _is_spelled(analysis, builtin) or clauses.count(" for ") or clauses.count(" if ") != 1:
        return
    condition = _condition(loop)
    if condition is None:
        return
    test = condition if builtin == "any" else _negated(condition)
    source = f"return {builtin}({text(test)} for {text(loop.target)} in {_iterable(loop.iter)})"
    new = cst.parse_statement(source)
    edits.change(
        loop, lambda _: cst.ensure_type(new, cst.SimpleStatementLine).with_changes(leading_lines=loop.leading_lines)
    )
    edits.remove(below[0])


def _iterable(expression: cst.BaseExpression) -> str:
    needs = isinstance(expression, cst.IfExp | cst.Lambda | cst.Tuple) and not expression.lpar
    return f"({text(expression)})" if needs else text(expression)


def _condition(loop: cst.For) -> cst.BaseExpression | None:
    statement = loop.body.body[0]
    return statement.test if isinstance(statement, cst.If) else None


def _negated(test: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return test.expression
    needs = isinstance(test, cst.BooleanOperation | cst.IfExp | cst.Lambda | cst.NamedExpr) and not test.lpar
    return cst.parse_expression(f"not ({text(test)})" if needs else f"not {text(test)}")


def _returned(statement: cst.CSTNode) -> str:
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        statement = statement.body[0]
    if isinstance(statement, cst.Return) and isinstance(statement.value, cst.Name):
        return statement.value.value
    return ""


def _is_spelled(analysis: Analysis, builtin: str) -> bool:
    return analysis.resolver.spelled(f"builtins.{builtin}") == builtin

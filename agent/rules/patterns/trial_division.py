"""Divisors are searched up to the square root, for each one above it has a partner below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.free_names import canonical, text
from afterburner.agent.rules.analysis.scope import Analysis, Region
from afterburner.agent.rules.analysis.tree import Comprehension, Edits, contains, is_name, walk
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Sequence

_HELPER = '''\
def {name}(number, start, stop):
    """The divisors of a number in range(start, stop), in ascending order."""
    if type(number) is not int or number < 1:
        return [divisor for divisor in range(start, stop) if number % divisor == 0]
    low, high = [], []
    for divisor in range(1, math.isqrt(number) + 1):
        if number % divisor == 0:
            low.append(divisor)
            if divisor * divisor != number:
                high.append(number // divisor)
    return [divisor for divisor in low + high[::-1] if start <= divisor < stop]
'''


@dataclass(frozen=True, slots=True)
class _Divides:
    """The test `number % divisor == 0`."""

    number: str
    divisor: str


class TrialDivision:
    """Stop trial division at the square root.

    Before::

        for d in range(2, n):
            if n % d == 0:
                return False
        return True

    After::

        for d in range(2, math.isqrt(max(n, 0)) + 1):
            if n % d == 0:
                return False
        return True

    Loops and comprehensions over all divisors get them in pairs, from a helper that keeps their order.
    """

    name = "trial-division"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every such loop of the scope."""
        analysis, edits = Analysis(rule_input), Edits()
        helper = analysis.fresh("_divisors_between", rule_input.scope)
        regions = analysis.regions()
        roots = pairs = 0
        for node in walk(rule_input.scope):
            region = next((each for each in regions if analysis.region_of(node) is each), None)
            if region is None:
                continue
            if isinstance(node, cst.For):
                rooted = _bound_by_root(analysis, region, node, edits)
                roots += rooted
                pairs += not rooted and _all_divisors(analysis, region, node, helper, edits)
            elif isinstance(node, cst.While):
                _square_in_test(analysis, region, node, edits)
            elif isinstance(node, Comprehension):
                pairs += _divisors_of_comprehension(node, helper, edits)
        if not edits:
            return None
        imports = ("import math",) if roots or pairs else ()
        return RuleOutput(edits.apply(rule_input.scope), imports, (_HELPER.format(name=helper),) if pairs else ())


def _bound_by_root(analysis: Analysis, region: Region, loop: cst.For, edits: Edits) -> bool:
    """`for d in range(2, n)` that is left at the first hit: the smallest divisor is at most the root."""
    arguments = _range_arguments(loop.iter)
    hit = _only_hit(loop.body)
    if not arguments or hit is None or not isinstance(loop.target, cst.Name):
        return False
    test = _divides(hit.test)
    if test is None or test.divisor != loop.target.value or not _leaves(hit.body):
        return False
    start, stop, step = arguments
    if canonical(stop) not in _bounds(test.number) or not _is_steady(analysis, region, loop, test):
        return False
    is_odd_only = text(start) == "3" and text(step) == "2" and _refuses_even(analysis, region, loop, test.number)
    if not is_odd_only and (text(start), text(step)) != ("2", "1"):
        return False
    edits.replace(stop, cst.parse_expression(f"math.isqrt(max({test.number}, 0)) + 1"))
    return True


def _all_divisors(analysis: Analysis, region: Region, loop: cst.For, helper: str, edits: Edits) -> bool:
    """`for d in range(1, n + 1): if n % d == 0: …` that goes on after a hit."""
    arguments = _range_arguments(loop.iter)
    hit = _only_hit(loop.body)
    if not arguments or hit is None or not isinstance(loop.target, cst.Name):
        return False
    test = _divides(hit.test)
    if test is None or test.divisor != loop.target.value or not _counts_up(arguments, test.number):
        return False
    if loop.orelse is not None or _may_leave(hit.body) or not _is_steady(analysis, region, loop, test):
        return False
    start, stop, _ = arguments
    divisors = cst.parse_expression(f"{helper}({test.number}, {text(start)}, {text(stop)})")
    edits.change(loop, lambda new: new.with_changes(iter=divisors, body=_body_of_hit(new)))
    return True


def _body_of_hit(loop: cst.For) -> cst.BaseSuite:
    hit = _only_hit(loop.body)
    return loop.body if hit is None else hit.body


def _divisors_of_comprehension(comprehension: Comprehension, helper: str, edits: Edits) -> bool:
    """`[d for d in range(1, n + 1) if n % d == 0]`, with whatever is made of d."""
    clause = comprehension.for_in
    arguments = _range_arguments(clause.iter)
    if not arguments or clause.asynchronous is not None or not isinstance(clause.target, cst.Name) or not clause.ifs:
        return False
    test = _divides(clause.ifs[0].test)
    if test is None or test.divisor != clause.target.value or not _counts_up(arguments, test.number):
        return False
    divisors = cst.parse_expression(f"{helper}({test.number}, {text(arguments[0])}, {text(arguments[1])})")
    edits.change(clause, lambda new: new.with_changes(iter=divisors, ifs=new.ifs[1:]))
    return True


def _square_in_test(analysis: Analysis, region: Region, loop: cst.While, edits: Edits) -> None:
    """`while d < n` that is left at the first hit and counts d up."""
    compared = _compared(loop.test, cst.LessThan)
    if compared is None or not all(isinstance(side, cst.Name) for side in compared):
        return
    statements = loop.body.body
    if len(statements) != 2 or loop.orelse is not None or not isinstance(statements[0], cst.If):
        return
    test, (divisor, upper) = _divides(statements[0].test), map(text, compared)
    if test is None or statements[0].orelse is not None or not _leaves(statements[0].body):
        return
    counts = text(statements[1]).strip() in (f"{test.divisor} += 1", f"{test.divisor} = {test.divisor} + 1")
    starts = _line_above(analysis, loop) == f"{test.divisor} = 2"
    if counts and starts and upper == test.number and divisor == test.divisor:
        if _is_assigned(analysis, test.number, loop) or _is_used_elsewhere(analysis, region, test.divisor, loop, 1):
            return
        edits.replace(loop.test, cst.parse_expression(f"{test.divisor} * {test.divisor} <= {test.number}"))


def _range_arguments(iterable: cst.BaseExpression) -> tuple[cst.BaseExpression, ...]:
    """Start, stop and step of a `range` call with a written start."""
    if not isinstance(iterable, cst.Call) or not is_name(iterable.func, "range"):
        return ()
    if len(iterable.args) < 2 or any(argument.star or argument.keyword for argument in iterable.args):
        return ()
    values = [argument.value for argument in iterable.args]
    return (*values, cst.Integer("1")) if len(values) == 2 else tuple(values)


def _counts_up(arguments: Sequence[cst.BaseExpression], number: str) -> bool:
    start, stop, step = arguments
    if not isinstance(start, cst.Integer) or start.evaluated_value < 1 or text(step) != "1":
        return False
    return canonical(stop) in {number, f"{number} + 1", f"{number} // 2 + 1", f"int({number} / 2) + 1"}


def _bounds(number: str) -> set[str]:
    """Upper bounds that are never below the root."""
    return {number, f"{number} - 1", f"{number} // 2 + 1", f"int({number} / 2) + 1"}


def _only_hit(body: cst.BaseSuite) -> cst.If | None:
    """The one `if` without `else` that a loop consists of."""
    statements = body.body
    if len(statements) == 1 and isinstance(statements[0], cst.If) and statements[0].orelse is None:
        return statements[0]
    return None


def _divides(test: cst.BaseExpression) -> _Divides | None:
    """Read `number % divisor == 0` or `not number % divisor`."""
    compared = _compared(test, cst.Equal)
    remainder: cst.BaseExpression | None = None
    if compared is not None and isinstance(compared[1], cst.Integer) and compared[1].value == "0":
        remainder = compared[0]
    elif isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        remainder = test.expression
    if not isinstance(remainder, cst.BinaryOperation) or not isinstance(remainder.operator, cst.Modulo):
        return None
    if not isinstance(remainder.left, cst.Name) or not isinstance(remainder.right, cst.Name):
        return None
    return _Divides(text(remainder.left), text(remainder.right))


def _compared(
    test: cst.BaseExpression, operator: type[cst.BaseCompOp]
) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """Both sides of a comparison by this operator, if it is the only one."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return None
    only = test.comparisons[0]
    return (test.left, only.comparator) if isinstance(only.operator, operator) else None


def _leaves(body: cst.BaseSuite) -> bool:
    """Whether it ends by leaving the loop, whatever it does before."""
    if contains(body, cst.Continue):
        return False
    last = body.body[-1]
    simple = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    return isinstance(simple, cst.Return | cst.Break | cst.Raise)


def _may_leave(body: cst.BaseSuite) -> bool:
    return contains(body, cst.Return, cst.Break, cst.Raise, cst.Yield, cst.Await)


def _is_steady(analysis: Analysis, region: Region, loop: cst.For, test: _Divides) -> bool:
    """The number stays as it is in the loop, and nobody looks at the divisor after it."""
    if _is_assigned(analysis, test.number, loop.body) or _is_assigned(analysis, test.divisor, loop.body):
        return False
    return not _is_used_elsewhere(analysis, region, test.divisor, loop, 0)


def _is_assigned(analysis: Analysis, name: str, node: cst.CSTNode) -> bool:
    return bool(analysis.names(node).binds[name])


def _is_used_elsewhere(analysis: Analysis, region: Region, name: str, loop: cst.CSTNode, allowed: int) -> bool:
    """Whether a name occurs in the region outside the loop more often than `allowed` (its own start, say)."""
    inside = {id(node) for node in analysis.occurrences(name, loop)}
    return sum(id(node) not in inside for node in analysis.occurrences(name, region)) > allowed


def _line_above(analysis: Analysis, loop: cst.While) -> str:
    block = list(analysis.tree.block(loop))
    place = block.index(loop) if loop in block else 0
    return text(block[place - 1]).strip() if place else ""


def _refuses_even(analysis: Analysis, region: Region, loop: cst.For, number: str) -> bool:
    """Whether an `if number % 2 == 0` that leaves stands above the loop."""
    return any(
        _leaves(each.body)
        and each.orelse is None
        and canonical(each.test) in (f"{number} % 2 == 0", f"not {number} % 2")
        and analysis.before(each, loop)
        and analysis.region_of(each) is region
        and analysis.tree.parents.get(each) is analysis.tree.parents.get(loop)
        and not _is_assigned_between(analysis, number, each, loop)
        for each in analysis.tree.find(cst.If)
    )


def _is_assigned_between(analysis: Analysis, name: str, first: cst.If, second: cst.For) -> bool:
    """Whether a statement between two of one block binds the name."""
    block = list(analysis.tree.block(second))
    return any(_is_assigned(analysis, name, each) for each in block[block.index(first) + 1 : block.index(second)])

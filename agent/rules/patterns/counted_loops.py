"""A `while` that only counts becomes a `for` over a range, which counts faster and which other rules understand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.free_names import names_in, operand, text
from afterburner.agent.rules.analysis.resolve import resolver_of
from afterburner.agent.rules.analysis.scans import is_read_outside
from afterburner.agent.rules.analysis.tree import Edits, Function, Tree, children, walk
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


class CountedLoops:
    """Count with `range`.

    Before::

        i = 0
        while i < len(rows):
            print(rows[i])
            i += 1

    After::

        for i in range(len(rows)):
            print(rows[i])
    """

    name = "counted-loops"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every loop whose counter nothing else changes, and that nobody reads afterwards."""
        resolver = resolver_of(rule_input.module)
        if resolver.spelled("builtins.range") is None:
            return None
        tree, edits = Tree(rule_input.scope), Edits()
        effects = Effects(resolver, rule_input.scope)
        for loop in tree.find(cst.While):
            found = _find(loop, tree, effects)
            if found is not None and found.counter not in resolver.names.shared:
                edits.remove(found.start)
                edits.change(loop, _as_for(found))
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


@dataclass(frozen=True, slots=True)
class _Counted:
    """`counter = low` right before `while counter < high:`, and `counter += step` at the end of its body."""

    counter: str
    low: cst.BaseExpression
    high: str
    step: str
    start: cst.SimpleStatementLine

    def range(self) -> str:
        """Write the range that counts the same."""
        if self.step != "1":
            return f"range({text(self.low)}, {self.high}, {self.step})"
        return f"range({self.high})" if text(self.low) == "0" else f"range({text(self.low)}, {self.high})"


def _as_for(found: _Counted) -> Callable[[cst.While], cst.For]:
    def change(loop: cst.While) -> cst.For:
        body = loop.body.with_changes(body=loop.body.body[:-1])
        return cst.For(
            target=cst.Name(found.counter),
            iter=cst.parse_expression(found.range()),
            body=body,
            orelse=loop.orelse,
            leading_lines=[*found.start.leading_lines, *loop.leading_lines],
        )

    return change


def _find(loop: cst.While, tree: Tree, effects: Effects) -> _Counted | None:
    started = _start(loop, tree)
    if started is None or not isinstance(loop.body, cst.IndentedBlock) or len(loop.body.body) < 2:
        return None
    start, counter, low = started
    bound, step = _bound(loop.test, counter), _step(loop.body.body[-1], counter)
    if bound is None or step is None or not _is_fixed(bound[0], loop, counter, effects):
        return None
    if not _may_be_int(low) or not _may_be_int(bound[0]) or counter in names_in(low).all:
        return None
    if _has_comment(start) or _has_comment(loop.body.body[-1]):
        return None
    others = [(other, _start(other, tree)) for other in tree.find(cst.While)]
    started_alike = [(other, above[0]) for other, above in others if above and above[1] == counter]
    own = {node for other, above in started_alike for node in (other.test, other.body, above)}
    if is_read_outside(tree, loop, counter, but=own):
        return None
    return _Counted(counter, low, bound[1], step, start)


def _may_be_int(expression: cst.BaseExpression) -> bool:
    return not any(isinstance(node, cst.Float | cst.Divide | cst.BaseString) for node in walk(expression))


def _is_fixed(high: cst.BaseExpression, loop: cst.While, counter: str, effects: Effects) -> bool:
    """Tell whether the body counts once in each round, and leaves the bound as it is."""
    rest = loop.body.body[:-1]
    changes = effects.changes(*rest)
    if counter in changes.binds or any(_continues(statement) for statement in rest):
        return False
    return counter not in names_in(high).all and effects.is_pure(high) and effects.is_stable(high, changes)


def _start(loop: cst.While, tree: Tree) -> tuple[cst.SimpleStatementLine, str, cst.BaseExpression] | None:
    """Give the line `counter = low` right above a loop, taken apart."""
    above = _statement_above(loop, tree)
    assigned = above.body[0] if above is not None and len(above.body) == 1 else None
    if above is None or not isinstance(assigned, cst.Assign) or len(assigned.targets) != 1:
        return None
    target = assigned.targets[0].target
    if not isinstance(target, cst.Name) or target.value not in names_in(loop.test).reads:
        return None
    return above, target.value, assigned.value


def _statement_above(loop: cst.While, tree: Tree) -> cst.SimpleStatementLine | None:
    block: Sequence[cst.BaseStatement] = tree.block(loop)
    place = next((place for place, each in enumerate(block) if each is loop), 0)
    above = block[place - 1] if place else None
    return above if isinstance(above, cst.SimpleStatementLine) else None


def _has_comment(line: cst.BaseStatement) -> bool:
    """Tell whether a comment at a line would be lost with it."""
    if not isinstance(line, cst.SimpleStatementLine):
        return False
    return line.trailing_whitespace.comment is not None


def _bound(test: cst.BaseExpression, counter: str) -> tuple[cst.BaseExpression, str] | None:
    """Give the bound of `counter < bound` or `counter <= bound`, and how a range writes its end."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1 or text(test.left) != counter:
        return None
    bound = test.comparisons[0].comparator
    if isinstance(test.comparisons[0].operator, cst.LessThan):
        return bound, text(bound)
    if isinstance(test.comparisons[0].operator, cst.LessThanEqual):
        is_last = isinstance(bound, cst.BinaryOperation) and isinstance(bound.operator, cst.Subtract)
        if is_last and isinstance(bound, cst.BinaryOperation) and text(bound.right) == "1":
            return bound, text(bound.left)
        return bound, f"{operand(bound)} + 1"
    return None


def _step(line: cst.BaseStatement, counter: str) -> str | None:
    """Give the number in `counter += number` or `counter = counter + number`."""
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
    value: cst.BaseExpression | None = None
    if isinstance(small, cst.AugAssign) and isinstance(small.operator, cst.AddAssign) and text(small.target) == counter:
        value = small.value
    elif isinstance(small, cst.Assign) and [text(target.target) for target in small.targets] == [counter]:
        added = small.value
        is_sum = isinstance(added, cst.BinaryOperation) and isinstance(added.operator, cst.Add)
        if is_sum and isinstance(added, cst.BinaryOperation) and text(added.left) == counter:
            value = added.right
    is_number = isinstance(value, cst.Integer) and value.evaluated_value > 0
    return text(value) if is_number and value is not None else None


def _continues(node: cst.CSTNode) -> bool:
    """Tell whether a `continue` in this statement skips the counting at the end of the loop."""
    return any(isinstance(below, cst.Continue) for below in _of_this_loop(node))


def _of_this_loop(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    if isinstance(node, Function):
        return
    for child in children(node):
        if not (isinstance(node, cst.For | cst.While) and child is node.body):
            yield from _of_this_loop(child)

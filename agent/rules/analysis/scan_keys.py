"""How the test of a search becomes a look-up: which part belongs to the element and which to the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.free_names import names_in, operand, text
from afterburner.agent.rules.analysis.tree import Comprehension

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.rules.analysis.effects import Changes, Effects
    from afterburner.agent.rules.analysis.resolve import Resolver
    from afterburner.agent.rules.analysis.scans import Scan

_UNHASHABLE = (cst.List, cst.Dict, cst.Set, Comprehension)


@dataclass(frozen=True, slots=True)
class Key:
    """An element can matter only if `element`, computed from it, equals `question`, which is not.

    `exact` are operands that have to be ints: with floats, `a + b == c` and `b == c - a` are two different tests.
    """

    element: cst.BaseExpression
    question: cst.BaseExpression
    exact: tuple[cst.BaseExpression, ...] = ()


def find_key(
    scan: Scan, effects: Effects, inside: Changes, resolver: Resolver, names: set[str] | None = None
) -> Key | None:
    """Give the key of a search; None if no test is a comparison of the kind.

    Args:
        scan: the search.
        effects: of its scope.
        inside: what its body may change.
        resolver: of its file.
        names: what belongs to the element, if not all names that change from element to element do.
    """
    keys: list[Key] = []
    for test in scan.tests:
        expression = _substitute(test.expression, scan.aliases)
        if not effects.is_pure(expression):
            break
        keys += _keys_of(expression, test.negated, _Sides(names or scan.names, effects, inside, resolver))
    plain = [key for key in keys if not key.exact]
    if len(plain) > 1:
        return Key(_tuple([key.element for key in plain]), _tuple([key.question for key in plain]))
    return next(iter(plain or keys), None)


@dataclass(frozen=True, slots=True)
class _Sides:
    """Tells the element's side of a comparison from the question's."""

    names: set[str]
    effects: Effects
    inside: Changes
    resolver: Resolver

    def is_element(self, expression: cst.BaseExpression) -> bool:
        return bool(names_in(expression).all & self.names)

    def is_question(self, expression: cst.BaseExpression) -> bool:
        return not self.is_element(expression) and self.effects.is_stable(expression, self.inside)


def _keys_of(expression: cst.BaseExpression, negated: bool, sides: _Sides) -> Iterator[Key]:
    if not isinstance(expression, cst.Comparison) or len(expression.comparisons) != 1:
        return
    operator = expression.comparisons[0].operator
    if not isinstance(operator, cst.NotEqual if negated else cst.Equal):
        return
    left, right = expression.left, expression.comparisons[0].comparator
    for one, other in ((left, right), (right, left)):
        if sides.is_element(one) and sides.is_question(other):
            yield from _key(one, other, sides)
            return


def _key(element: cst.BaseExpression, question: cst.BaseExpression, sides: _Sides) -> Iterator[Key]:
    if not isinstance(element, cst.BinaryOperation):
        yield from _hashable(element, question, sides.resolver)
        return
    left, right = element.left, element.right
    if sides.is_element(left) and sides.is_element(right):
        yield from _hashable(element, question, sides.resolver)
    elif isinstance(element.operator, cst.Add):
        mine, others = (left, right) if sides.is_element(left) else (right, left)
        if sides.is_question(others):
            yield Key(mine, _operation(question, "-", others), (others, question))
    elif isinstance(element.operator, cst.Subtract) and sides.is_element(left) and sides.is_question(right):
        yield Key(left, _operation(question, "+", right), (right, question))
    elif isinstance(element.operator, cst.Subtract) and sides.is_element(right) and sides.is_question(left):
        yield Key(right, _operation(left, "-", question), (left, question))
    elif not names_in(left if sides.is_element(right) else right).reads:
        yield from _hashable(element, question, sides.resolver)


def _hashable(element: cst.BaseExpression, question: cst.BaseExpression, resolver: Resolver) -> Iterator[Key]:
    """Compare sorted lists as tuples and sets as frozen ones: they are equal just when these are."""
    for makers, frozen in ((("builtins.sorted", "builtins.list"), "tuple"), (("builtins.set",), "frozenset")):
        if resolver.is_call(element, *makers) and resolver.is_call(question, *makers):
            if resolver.spelled(f"builtins.{frozen}"):
                frozen_element, frozen_question = (f"{frozen}({text(side)})" for side in (element, question))
                yield Key(cst.parse_expression(frozen_element), cst.parse_expression(frozen_question))
            return
    if not isinstance(element, _UNHASHABLE) and not isinstance(question, _UNHASHABLE):
        yield Key(element, question)


def _operation(left: cst.BaseExpression, operator: str, right: cst.BaseExpression) -> cst.BaseExpression:
    return cst.parse_expression(f"{operand(left)} {operator} {operand(right)}")


def _tuple(parts: list[cst.BaseExpression]) -> cst.BaseExpression:
    return cst.parse_expression(f"({', '.join(operand(part) for part in parts)})")


def _substitute(expression: cst.BaseExpression, aliases: dict[str, cst.BaseExpression]) -> cst.BaseExpression:
    """Put the values of names into an expression, and the names in those values, as often as it takes."""
    for name, value in reversed(aliases.items()):
        changed = expression.visit(_Substitution(name, value))
        if isinstance(changed, cst.BaseExpression):
            expression = changed
    return expression


class _Substitution(cst.CSTTransformer):
    def __init__(self, name: str, value: cst.BaseExpression) -> None:
        super().__init__()
        self._name, self._value = name, value

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:  # noqa: ARG002, N802 - libcst's signature
        if updated_node.value != self._name:
            return updated_node
        return cst.parse_expression(operand(self._value))

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:  # noqa: N802 - libcst's signature
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:  # noqa: N802 - libcst's signature
        return updated_node.with_changes(keyword=original_node.keyword)

"""Recursion that computes the same values over and over is given a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.free_names import names_in
from afterburner.agent.rules.analysis.resolve import Resolver, resolver_of
from afterburner.agent.rules.analysis.shapes import may_give_mutable
from afterburner.agent.rules.analysis.tree import Comprehension, Edits, Tree, children, walk, walk_own
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_UNHASHABLE = {"list", "dict", "set", "bytearray", "List", "Dict", "Set", "defaultdict", "deque", "Counter"}


class CacheRecursion:
    """Cache the results of a pure function that calls itself more than once.

    The cache distinguishes types, because 1 and 1.0 are equal but their results may differ.

    Before::

        def ways(n):
            return 1 if n < 2 else ways(n - 1) + ways(n - 2)

    After::

        @functools.lru_cache(maxsize=None, typed=True)
        def ways(n):
            return 1 if n < 2 else ways(n - 1) + ways(n - 2)
    """

    name = "cache-recursion"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Decorate every function of the scope that is pure and calls itself at least twice on some path."""
        resolver = resolver_of(rule_input.module)
        imported = resolver.module_import("functools")
        if imported is None:
            return None
        spelled, imports = imported
        named = [node for node in walk(rule_input.scope) if isinstance(node, cst.FunctionDef) and _names_itself(node)]
        if not named:
            return None
        tree, edits = Tree(rule_input.module), Edits()
        for function in named:
            if _Candidate(function, tree, resolver).is_worth_a_cache():
                edits.change(function, _decorate(f"{spelled}.lru_cache(maxsize=None, typed=True)"))
        return RuleOutput(edits.apply(rule_input.scope), imports) if edits else None


def _decorate(decorator: str) -> Callable[[cst.FunctionDef], cst.FunctionDef]:
    """Add the decorator below the others: a static method stays one."""

    def change(function: cst.FunctionDef) -> cst.FunctionDef:
        new = cst.Decorator(cst.parse_expression(decorator))
        return function.with_changes(decorators=[*function.decorators, new])

    return change


def _names_itself(function: cst.FunctionDef) -> bool:
    names = (node for node in walk(function.body) if isinstance(node, cst.Name) and node.value == function.name.value)
    return next(names, None) is not None


class _Candidate:
    """One function that might be given a cache."""

    def __init__(self, function: cst.FunctionDef, tree: Tree, resolver: Resolver) -> None:
        self._function, self._tree, self._resolver = function, tree, resolver
        self._name = function.name.value
        self._owner = tree.function(function)
        self._parameters = {node.name.value for node in walk(function.params) if isinstance(node, cst.Param)}
        self._effects = Effects(resolver, function)

    def is_worth_a_cache(self) -> bool:
        """Tell whether a cache helps and cannot be noticed, as far as the text tells."""
        return (
            self._is_reached_by_its_name()
            and _most_calls(self._function.body, self._is_self_call) >= 2
            and self._effects.is_pure_function(self._function)
            and not any(self._is_unhashable(node) for node in walk_own(self._function))
            and self._reads_nothing_that_changes()
            and not may_give_mutable(self._function, self._resolver)
        )

    def _is_reached_by_its_name(self) -> bool:
        decorators = [node.decorator for node in self._function.decorators]
        static = len(decorators) == 1 and self._resolver.qualified(decorators[0]) == "builtins.staticmethod"
        if isinstance(self._owner, cst.ClassDef):
            return static and self._resolver.names.binds[self._owner.name.value] == 1
        return not decorators and self._resolver.names.binds[self._name] == 1

    def _is_self_call(self, node: cst.CSTNode) -> bool:
        if not isinstance(node, cst.Call):
            return False
        if not isinstance(self._owner, cst.ClassDef):
            return isinstance(node.func, cst.Name) and node.func.value == self._name
        return (
            isinstance(node.func, cst.Attribute)
            and node.func.attr.value == self._name
            and isinstance(node.func.value, cst.Name)
            and node.func.value.value == self._owner.name.value
        )

    def _is_unhashable(self, node: cst.CSTNode) -> bool:
        """Tell whether this node shows that an argument cannot be the key of a cache."""
        if isinstance(node, cst.Param) and node.annotation is not None:
            return bool(names_in(node.annotation).all & _UNHASHABLE)
        return self._is_self_call(node) and any(
            isinstance(arg.value, cst.List | cst.Dict | cst.Set | Comprehension)
            for arg in (node.args if isinstance(node, cst.Call) else ())
        )

    def _reads_nothing_that_changes(self) -> bool:
        names = names_in(self._function.body)
        own = {*names.binds, *self._parameters, self._name}
        for node in walk(self._function.body):
            if isinstance(node, cst.Attribute) and not self._is_known_attribute(node, own):
                return False
        return all(self._is_constant(name) for name in names.reads if name not in own)

    def _is_known_attribute(self, node: cst.Attribute, own: set[str]) -> bool:
        """Tell whether an attribute is a module's, a method that is called, or one of something from around."""
        if self._resolver.qualified(node) is not None:
            return True
        parent = self._tree.parents.get(node)
        if isinstance(parent, cst.Call) and parent.func is node:
            return True
        if isinstance(self._owner, cst.FunctionDef) and not names_in(node).all & own:
            return self._is_kept_around(node)
        return False

    def _is_constant(self, name: str) -> bool:
        """Tell whether a name from outside the function always stands for the same unchangeable thing."""
        if self._resolver.qualified(cst.Name(name)) is not None:
            return True
        enclosing = [node for node in self._tree.ancestors(self._function) if isinstance(node, cst.FunctionDef)]
        if any(name in names_in(node).binds for node in enclosing):
            return self._is_kept_around(cst.Name(name))
        if self._resolver.names.binds[name] != 1 or name in self._resolver.names.shared:
            return False
        for node in walk(self._tree.scope):
            if isinstance(node, cst.FunctionDef | cst.ClassDef) and node.name.value == name:
                return isinstance(node, cst.ClassDef) or self._effects.is_pure_function(node)
            if isinstance(node, cst.Assign) and name in names_in(*node.targets).binds:
                return _is_literal(node.value)
        return False

    def _is_kept_around(self, expression: cst.BaseExpression) -> bool:
        """Tell whether something of the enclosing function stays as it is from this function's definition on."""
        block = self._tree.block(self._function)
        rest = [node for node in block[_position(block, self._function) :] if node is not self._function]
        effects = Effects(self._resolver, self._owner)
        return effects.is_stable(expression, effects.changes(self._function.body, *rest))


def _position(block: Sequence[cst.BaseStatement], statement: cst.CSTNode) -> int:
    return next(place for place, node in enumerate(block) if node is statement)


def _is_literal(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Tuple):
        return all(_is_literal(element.value) for element in node.elements)
    if isinstance(node, cst.UnaryOperation):
        return _is_literal(node.expression)
    if isinstance(node, cst.BinaryOperation):
        return _is_literal(node.left) and _is_literal(node.right)
    return isinstance(node, cst.BaseNumber | cst.SimpleString | cst.ConcatenatedString)


def _most_calls(node: cst.CSTNode, is_call: Callable[[cst.CSTNode], bool]) -> int:
    """Count the self-calls on the path through the code that makes most of them; what repeats counts twice."""
    if isinstance(node, cst.IndentedBlock | cst.SimpleStatementSuite):
        return _most_in_block(node.body, is_call)
    if isinstance(node, cst.If):
        return _most_calls(node.test, is_call) + max(
            _most_calls(node.body, is_call), _most_calls(node.orelse, is_call) if node.orelse else 0
        )
    if isinstance(node, cst.IfExp):
        branches = max(_most_calls(node.body, is_call), _most_calls(node.orelse, is_call))
        return _most_calls(node.test, is_call) + branches
    if isinstance(node, cst.FunctionDef | cst.Lambda | cst.ClassDef):
        return 0
    below = sum(_most_calls(child, is_call) for child in children(node))
    if isinstance(node, cst.For | cst.While | Comprehension):
        below *= 2
    return below + is_call(node)


def _most_in_block(body: Sequence[cst.CSTNode], is_call: Callable[[cst.CSTNode], bool]) -> int:
    """Like `_most_calls`: an `if` that always leaves the block has nothing after it."""
    best = total = 0
    for statement in body:
        count = _most_calls(statement, is_call)
        best = max(best, total + count)
        if not (isinstance(statement, cst.If) and _leaves(statement.body)):
            total += count
        elif statement.orelse is not None:
            total += _most_calls(statement.orelse, is_call)
    return best


def _leaves(body: cst.BaseSuite) -> bool:
    last = body.body[-1] if body.body else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[-1]
    return isinstance(last, cst.Return | cst.Raise | cst.Continue | cst.Break)

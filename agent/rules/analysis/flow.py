"""Follows what is known of one variable through the statements of a function, along every way they may be run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import libcst as cst

from afterburner.agent.rules.analysis.tree import Function, children

if TYPE_CHECKING:
    from collections.abc import Iterable

States = frozenset[str]  # what may hold at a place: one of these does
NOWHERE: States = frozenset()


class Step(Protocol):
    """Gives what may hold after a node, from what may hold before it; what is inside the node has happened by then.

    A loop is given to it before anything inside.
    """

    def __call__(self, node: cst.CSTNode, states: States, /) -> States: ...  # noqa: D102 - said above


class Flow:
    """Goes through a body until nothing new is learned.

    `left` is asked what holds when a loop ends by itself, without `break`, from what holds before it ends.
    Any statement inside `try` or `with` may raise: what held anywhere in there may hold in the handlers, or after it.
    """

    def __init__(self, step: Step, left: Step) -> None:
        self._step, self._left = step, left
        self._breaks: list[States] = []
        self._continues: list[States] = []
        self._seen: list[States] = []  # for each `try` or `with` around, from the outside in

    def run(self, body: Iterable[cst.CSTNode], states: States) -> States:
        """Go through statements; the result is what may hold after the last one."""
        for statement in body:
            states = self._statement(statement, states)
        return states

    def _statement(self, node: cst.CSTNode, states: States) -> States:
        match node:
            case cst.SimpleStatementLine():
                after = self.run(node.body, states)
            case cst.If():
                after = self._branches(node, states)
            case cst.For() | cst.While():
                after = self._loop(node, states)
            case cst.Try() | cst.TryStar():
                after = self._try(node, states)
            case cst.With():
                after, seen = self._watched(node.body, self._nodes(node.items, states))
                after |= seen
            case cst.Match():
                after = self._match(node, states)
            case cst.Return() | cst.Raise():
                self._nodes(children(node), states)
                after = NOWHERE
            case cst.Break() | cst.Continue():
                kept = self._breaks if isinstance(node, cst.Break) else self._continues
                kept[-1] |= states
                after = NOWHERE
            case _:
                after = self._node(node, states)
        return after

    def _node(self, node: cst.CSTNode, states: States) -> States:
        """Go through an expression or a simple statement: first what is inside."""
        if not isinstance(node, Function):
            states = self._nodes(children(node), states)
        return self._observed(self._step(node, states))

    def _nodes(self, nodes: Iterable[cst.CSTNode], states: States) -> States:
        for node in nodes:
            states = self._node(node, states)
        return states

    def _observed(self, states: States) -> States:
        self._seen = [seen | states for seen in self._seen]
        return states

    def _watched(self, body: cst.BaseSuite, states: States) -> tuple[States, States]:
        """Go through a block; give what may hold after it, and what may hold anywhere in it."""
        self._seen.append(states)
        after = self.run(body.body, states)
        return after, self._seen.pop()

    def _branches(self, node: cst.If, states: States) -> States:
        states = self._node(node.test, states)
        after = self.run(node.body.body, states)
        if isinstance(node.orelse, cst.If):
            return after | self._branches(node.orelse, states)
        return after | (self.run(node.orelse.body.body, states) if node.orelse is not None else states)

    def _loop(self, node: cst.For | cst.While, states: States) -> States:
        if isinstance(node, cst.For):
            states = self._node(node.iter, states)
        states = self._observed(self._step(node, states))
        self._breaks.append(NOWHERE)
        while True:
            self._continues.append(NOWHERE)
            entered = self._node(node.test if isinstance(node, cst.While) else node.target, states)
            again = self.run(node.body.body, entered) | self._continues.pop()
            if again <= states:
                break
            states |= again
        after = self._left(node, entered | states)
        if node.orelse is not None:
            after = self.run(node.orelse.body.body, after)
        return after | self._breaks.pop()

    def _try(self, node: cst.Try | cst.TryStar, states: States) -> States:
        after, seen = self._watched(node.body, states)
        if node.orelse is not None:
            after, seen_else = self._watched(node.orelse.body, after)
            seen |= seen_else
        left = seen
        for handler in node.handlers:
            handled, seen_handler = self._watched(handler.body, seen)
            after |= handled
            left |= seen_handler
        return self.run(node.finalbody.body.body, after | left) if node.finalbody is not None else after

    def _match(self, node: cst.Match, states: States) -> States:
        states = after = self._node(node.subject, states)
        for case in node.cases:
            entered = self._nodes([case.pattern, *([case.guard] if case.guard else [])], states)
            after |= self.run(case.body.body, entered)
        return after

"""A scope as a tree with parents: where a node stands, and how nodes are replaced and statements inserted."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, TypeVar

import libcst as cst

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_Node = TypeVar("_Node", bound=cst.CSTNode)
Scope = cst.FunctionDef | cst.Module
Function = cst.FunctionDef | cst.Lambda | cst.ClassDef
Comprehension = cst.ListComp | cst.SetComp | cst.DictComp | cst.GeneratorExp


_SPACE = (cst.BaseParenthesizableWhitespace, cst.TrailingWhitespace, cst.EmptyLine, cst.Newline, cst.Comment)


_PUNCTUATION = frozenset(
    (
        "comma", "dot", "equal", "first_line", "footer", "header", "lbrace", "lbracket", "leading_lines", "lpar",
        "lines_after_decorators", "rbrace", "rbracket", "rpar", "semicolon", "star", "trailing_whitespace",
    )
)  # fmt: skip


@functools.cache
def _field_names(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    names = [field.name for field in dataclasses.fields(kind)]
    return tuple(name for name in names if name not in _PUNCTUATION and not name.startswith("whitespace"))


def children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Give what is right below a node, without spaces, comments and line ends."""
    for name in _field_names(type(node)):
        value = getattr(node, name)
        for child in value if isinstance(value, list | tuple) else (value,):
            if isinstance(child, cst.CSTNode) and not isinstance(child, _SPACE):
                yield child


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Give the node and everything below it, in reading order."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(tuple(children(current))))


def walk_own(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Like `walk`, but nested functions, lambdas and classes are given without what is in them."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if current is node or not isinstance(current, Function):
            stack.extend(reversed(tuple(children(current))))


def contains(node: cst.CSTNode, *kinds: type[cst.CSTNode]) -> bool:
    """Tell whether the node or something below it is of one of these types."""
    return any(isinstance(each, kinds) for each in walk(node))


def is_name(node: cst.CSTNode | None, name: str) -> bool:
    """Tell whether a node is this name and nothing more."""
    return isinstance(node, cst.Name) and node.value == name


class Tree:
    """The scope with a way up from each node."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.nodes: list[cst.CSTNode] = []  # in reading order
        self.parents: dict[cst.CSTNode, cst.CSTNode] = {}
        self._functions: dict[cst.CSTNode, Function | cst.Module] = {}
        for node in walk(scope):
            self.nodes.append(node)
            home = node if isinstance(node, Function | cst.Module) else self._functions.get(node, scope)
            for child in children(node):
                self.parents[child] = node
                self._functions[child] = home

    def find(self, kind: type[_Node]) -> list[_Node]:
        """Give all nodes of a type in reading order."""
        return [node for node in self.nodes if isinstance(node, kind)]

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Give what encloses the node, from the inside out."""
        current = self.parents.get(node)
        while current is not None:
            yield current
            current = self.parents.get(current)

    def within(self, node: cst.CSTNode, outer: cst.CSTNode) -> bool:
        """Tell whether `node` is `outer` or stands in it."""
        return node is outer or any(ancestor is outer for ancestor in self.ancestors(node))

    def function(self, node: cst.CSTNode) -> Function | cst.Module:
        """Give the innermost function, lambda, class or module whose body holds the node."""
        return self._functions.get(node, self.scope)

    def line(self, node: cst.CSTNode) -> cst.BaseStatement | None:
        """Give the statement that holds the node and has a line of its own, so that another can go before it."""
        current: cst.CSTNode | None = node
        while current is not None:
            parent = self.parents.get(current)
            if isinstance(parent, cst.IndentedBlock | cst.Module) and isinstance(current, cst.BaseStatement):
                return current
            current = parent
        return None

    def block(self, statement: cst.CSTNode) -> Sequence[cst.BaseStatement]:
        """Give the statements of the block that holds this one."""
        parent = self.parents.get(statement)
        if isinstance(parent, cst.IndentedBlock):
            return parent.body
        if isinstance(parent, cst.Module):
            return [line for line in parent.body if isinstance(line, cst.BaseStatement)]
        return []

    def loops(self, node: cst.CSTNode) -> list[cst.For | cst.While]:
        """Give the loops of the same function whose repeated part holds the node, from the inside out."""
        found: list[cst.For | cst.While] = []
        below = node
        for ancestor in self.ancestors(node):
            if isinstance(ancestor, Function):
                break
            repeated = (isinstance(ancestor, cst.For) and below is ancestor.body) or (
                isinstance(ancestor, cst.While) and below in (ancestor.body, ancestor.test)
            )
            if repeated and isinstance(ancestor, cst.For | cst.While):
                found.append(ancestor)
            below = ancestor
        return found


def outermost_comprehension(tree: Tree, node: cst.CSTNode) -> cst.CSTNode | None:
    """Give the outermost comprehension that evaluates the node more than once; None if there is none."""
    found: cst.CSTNode | None = None
    below = node
    for ancestor in tree.ancestors(node):
        if isinstance(ancestor, Function | cst.BaseStatement):
            break
        if isinstance(ancestor, Comprehension) and not tree.within(node, ancestor.for_in.iter):
            is_own_first = below is ancestor.for_in and node is ancestor.for_in
            found = found if is_own_first else ancestor
        below = ancestor
    return found


class Edits:
    """Changes to a scope, collected first and made in one pass."""

    def __init__(self) -> None:
        self._replaced: dict[cst.CSTNode, Callable[[cst.CSTNode], cst.CSTNode | cst.RemovalSentinel]] = {}
        self._before: dict[cst.CSTNode, list[cst.BaseStatement]] = {}
        self._after: dict[cst.CSTNode, list[cst.BaseStatement]] = {}

    def __bool__(self) -> bool:
        return bool(self._replaced or self._before or self._after)

    def replace(self, node: cst.CSTNode, new: cst.CSTNode) -> None:
        """Put `new` where `node` is; changes inside `node` are lost."""
        self._replaced[node] = lambda _: new

    def change(self, node: _Node, change: Callable[[_Node], cst.CSTNode]) -> None:
        """Put what `change` gives where `node` is; it receives the node with the changes inside it made."""
        self._replaced[node] = change  # type: ignore[assignment] # the updated node has the type of the original

    def remove(self, node: cst.CSTNode) -> None:
        """Take the node away."""
        self._replaced[node] = lambda _: cst.RemoveFromParent()

    def touches(self, node: cst.CSTNode) -> bool:
        """Tell whether a change to the node itself is already planned."""
        return node in self._replaced

    def insert_before(self, statement: cst.BaseStatement, *sources: str) -> None:
        """Put statements on lines of their own before this one."""
        self._before.setdefault(statement, []).extend(_statements(sources))

    def insert_after(self, statement: cst.BaseStatement, *sources: str) -> None:
        """Put statements on lines of their own after this one."""
        self._after.setdefault(statement, []).extend(_statements(sources))

    def apply(self, scope: Scope) -> Scope:
        """Make the changes."""
        changed = scope.visit(_Editor(self._replaced, self._before, self._after))
        if not isinstance(changed, cst.FunctionDef | cst.Module):
            raise TypeError("a rule replaced its whole scope")
        return changed


def _statements(sources: Sequence[str]) -> list[cst.BaseStatement]:
    lines = cst.parse_module("\n".join(sources) + "\n").body
    return [line for line in lines if isinstance(line, cst.BaseStatement)]


def parse_block(source: str) -> list[cst.BaseStatement]:
    """Read statements from text."""
    return _statements([source])


class _Editor(cst.CSTTransformer):
    def __init__(
        self,
        replaced: dict[cst.CSTNode, Callable[[cst.CSTNode], cst.CSTNode | cst.RemovalSentinel]],
        before: dict[cst.CSTNode, list[cst.BaseStatement]],
        after: dict[cst.CSTNode, list[cst.BaseStatement]],
    ) -> None:
        super().__init__()
        self._replaced, self._before, self._after = replaced, before, after

    def on_leave(  # type: ignore[override] # one transformer for every type of node
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNode]:
        change = self._replaced.get(original_node)
        new = change(updated_node) if change else updated_node
        before = self._before.get(original_node, [])
        after = self._after.get(original_node, [])
        if not before and not after:
            return new
        kept: list[cst.CSTNode] = [new] if isinstance(new, cst.CSTNode) else []
        if before and kept:
            before, kept = _share_leading_lines(before, kept[0])
        return cst.FlattenSentinel([*before, *kept, *after])


def _share_leading_lines(
    before: list[cst.BaseStatement], statement: cst.CSTNode
) -> tuple[list[cst.BaseStatement], list[cst.CSTNode]]:
    """Move the blank lines above a statement above what is inserted before it; its comments stay with it."""
    lines = list(getattr(statement, "leading_lines", ()))
    blanks = 0
    while blanks < len(lines) and lines[blanks].comment is None:
        blanks += 1
    if not blanks:
        return before, [statement]
    first = before[0].with_changes(leading_lines=lines[:blanks])
    return [first, *before[1:]], [statement.with_changes(leading_lines=lines[blanks:])]

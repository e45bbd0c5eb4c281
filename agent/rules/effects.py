"""What a piece of code may change, and whether an expression keeps its value while that code runs.

The text alone cannot prove this for Python; what is assumed is that operators, properties and methods with the names
of the builtin types' own only compute. Calls of anything unknown are expected to change what they can reach.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules import knowledge
from afterburner.agent.rules.aliases import FRESH, Aliases, Path, base_path, path_of, starts_with
from afterburner.agent.rules.names import names_in, text
from afterburner.agent.rules.tree import children, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from afterburner.agent.rules.resolve import Resolver


@dataclass(slots=True)
class Changes:
    """What a piece of code may change."""

    binds: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)  # attributes that are assigned, whatever the owner
    items: set[str] = field(default_factory=set)  # literal keys that are assigned: `row["seen"] = True`
    item_owners: set[Path] = field(default_factory=set)  # the owners in those assignments
    contents: set[Path] = field(default_factory=set)  # objects whose content may change
    opaque: bool = False  # something unknown is called
    unclear: bool = False  # something is changed that has no path
    visible: bool = False  # something is printed, written, awaited or yielded


@dataclass(frozen=True, slots=True)
class _Read:
    """One thing that an expression reads: a path, perhaps an item of it by a literal key."""

    path: Path
    node: cst.BaseExpression
    key: str | None = None


class Effects:
    """Answers for one file, and for the aliases within one scope of it."""

    def __init__(self, resolver: Resolver, scope: cst.CSTNode) -> None:
        self._resolver = resolver
        self._aliases = Aliases(resolver, scope)
        self._purity: dict[cst.FunctionDef, bool] = {}

    def is_pure_call(self, call: cst.Call) -> bool:
        """Tell whether the call itself, apart from its arguments, only computes a value."""
        qualified = self._resolver.qualified(call.func)
        if qualified == "builtins.next":
            return bool(call.args) and isinstance(call.args[0].value, cst.GeneratorExp)
        if qualified is not None:
            return knowledge.is_pure_function(qualified)
        if isinstance(call.func, cst.Name):
            functions = self._resolver.functions(call.func.value)
            once = self._resolver.names.binds[call.func.value] == len(functions)
            return bool(functions) and once and all(self.is_pure_function(each) for each in functions)
        if isinstance(call.func, cst.Attribute):
            name = call.func.attr.value
            if len(call.args) < knowledge.LEAST_ARGUMENTS.get(name, 0):
                return False
            methods = self._resolver.functions(name)
            return (bool(methods) or name in knowledge.PURE_METHODS) and all(map(self.is_pure_function, methods))
        return False

    def is_pure_function(self, function: cst.FunctionDef) -> bool:
        """Tell whether calling a function of this file only computes a value. Recursion is taken to be pure."""
        if function not in self._purity:
            self._purity[function] = True
            self._purity[function] = self._only_computes(function)
        return self._purity[function]

    def is_pure(self, expression: cst.CSTNode) -> bool:
        """Tell whether evaluating the expression has no effect but its value, or an exception."""
        for node in walk(expression):
            if isinstance(node, cst.Await | cst.Yield | cst.NamedExpr):
                return False
            if isinstance(node, cst.Call) and not self.is_pure_call(node):
                return False
        return True

    def changes(self, *nodes: cst.CSTNode, leave_out: Collection[cst.CSTNode] = ()) -> Changes:
        """Give what these pieces of code may change together; some of the calls in them may be left out."""
        names = names_in(*nodes)
        found = Changes(binds={*names.binds, *names.shared})
        for root in nodes:
            for node in walk(root):
                if node not in leave_out:
                    self._collect(node, found)
        return found

    def is_stable(self, expression: cst.CSTNode, changes: Changes) -> bool:
        """Tell whether a pure expression has the same value before, after and amid these changes."""
        names = names_in(expression)
        free = {name for name in names.reads if name not in names.binds}
        if free & changes.binds or free & self._resolver.names.shared or changes.unclear:
            return False
        called = [node for node in walk(expression) if isinstance(node, cst.Call)]
        if any(self._own_functions(call) for call in called) and (changes.opaque or changes.attributes):
            return False
        return all(self._is_kept(read, changes) for read in _reads(expression))

    def holds_kept(self, value: cst.BaseExpression, changes: Changes) -> bool:
        """Tell whether the objects that a value is, or holds, are none that these changes touch."""
        return all(self._is_kept(_Read(path, _as_node(path)), changes) for path in self._aliases.sources(value))

    def _own_functions(self, call: cst.Call) -> bool:
        name = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
        return isinstance(name, cst.Name) and bool(self._resolver.functions(name.value))

    def _is_kept(self, read: _Read, changes: Changes) -> bool:
        if self._resolver.qualified(read.node) is not None:
            return True
        path = read.path
        if set(path[1:]) & changes.attributes:
            return False
        if changes.opaque and (len(path) > 1 or path[0] not in self._aliases.local):
            return False
        group = self._aliases.group(path)
        for other in changes.contents:
            if other == path[: len(other)] or starts_with(group, self._aliases.group(other)):
                return False
        if read.key is not None:
            return read.key not in changes.items
        return not any(self._aliases.are_twins(path, owner) for owner in changes.item_owners)

    def _collect(self, node: cst.CSTNode, found: Changes) -> None:
        if isinstance(node, cst.AssignTarget | cst.AnnAssign | cst.For | cst.CompFor | cst.Del):
            self._store(node.target, found)
        elif isinstance(node, cst.AugAssign):
            self._store(node.target, found)
            if not isinstance(node.target, cst.Subscript):
                self._content(node.target, found)
        elif isinstance(node, cst.AsName):
            self._store(node.name, found)
        elif isinstance(node, cst.Call) and not self.is_pure_call(node):
            self._call(node, found)
        elif isinstance(node, cst.Await | cst.Yield | cst.With):
            found.opaque = found.visible = True

    def _store(self, target: cst.CSTNode, found: Changes) -> None:
        if isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self._store(element.value, found)
        elif isinstance(target, cst.Attribute):
            found.attributes.add(target.attr.value)
        elif isinstance(target, cst.Subscript):
            key = literal_key(target)
            owner = base_path(target.value)
            if key is not None and owner is not None:
                found.items.add(key)
                found.item_owners.add(owner)
            else:
                self._content(target.value, found)

    def _content(self, node: cst.CSTNode, found: Changes) -> None:
        path = base_path(node)
        if path is not None:
            found.contents.add(path)
        elif not isinstance(node, FRESH):
            found.unclear = True

    def _call(self, call: cst.Call, found: Changes) -> None:
        qualified = self._resolver.qualified(call.func)
        if qualified == "builtins.next":
            for arg in call.args:
                self._content(arg.value, found)
            return
        if qualified is not None and qualified.removeprefix("builtins.") in knowledge.HARMLESS_BUILTINS:
            found.visible = True
            return
        if isinstance(call.func, cst.Attribute) and qualified is None:
            self._content(call.func.value, found)
            if call.func.attr.value in knowledge.KEEPING_METHODS:
                return
        found.opaque = found.visible = True
        for arg in call.args:
            found.contents.update(read.path for read in _reads(arg.value))

    def _only_computes(self, function: cst.FunctionDef) -> bool:
        if function.asynchronous is not None or names_in(function.body).shared:
            return False
        if any(path_of(each.decorator) not in _PURE_DECORATORS for each in function.decorators):
            return False
        found = self.changes(function.body)
        if found.opaque or found.visible or found.unclear or found.attributes:
            return False
        own = Aliases(self._resolver, function).fresh
        return all(path[0] in own and len(path) == 1 for path in {*found.contents, *found.item_owners})


_PURE_DECORATORS = {("staticmethod",), ("classmethod",), ("property",), ("cache",), ("functools", "cache")}


def _as_node(path: Path) -> cst.Name | cst.Attribute:
    node: cst.Name | cst.Attribute = cst.Name(path[0])
    for name in path[1:]:
        node = cst.Attribute(node, cst.Name(name))
    return node


def literal_key(node: cst.Subscript) -> str | None:
    """Give a text for a key that is a plain string or number: `row["id"]`, `row[0]`."""
    if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        value = node.slice[0].slice.value
        if isinstance(value, cst.SimpleString):
            return value.raw_value
        if isinstance(value, cst.Integer):
            return f"#{value.evaluated_value}"
    return None


def _reads(node: cst.CSTNode) -> Iterator[_Read]:
    """Give what an expression reads; the name of a method that is called is no part of its object's path."""
    below: list[cst.CSTNode] = list(children(node))
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        below = [node.func.value, *node.args]
    elif isinstance(node, cst.Arg):
        below = [node.value]
    elif isinstance(node, cst.Subscript):
        key, path = literal_key(node), path_of(node.value)
        if key is not None and path is not None:
            yield _Read(path, node.value, key)
            return
    elif isinstance(node, cst.Name | cst.Attribute):
        path = path_of(node)
        yield _Read(path or ("", text(node.attr)), node)  # type: ignore[union-attr] # a name always has a path
        below = [node.value] if path is None and isinstance(node, cst.Attribute) else []
    for child in below:
        yield from _reads(child)

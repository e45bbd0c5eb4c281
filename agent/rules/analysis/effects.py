"""What a piece of code may change, and whether an expression keeps its value while that code runs.

The text alone cannot prove this for Python; what is assumed is that operators, properties and methods with the names
of the builtin types' own only compute. Calls of anything unknown are expected to change what they can reach.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis import knowledge
from afterburner.agent.rules.analysis.aliases import FRESH, Aliases, Path, base_path, literal_key, path_of, starts_with
from afterburner.agent.rules.analysis.free_names import names_in, text
from afterburner.agent.rules.analysis.tree import children, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from afterburner.agent.rules.analysis.resolve import Resolver


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
        self._summaries: dict[cst.FunctionDef, Changes] = {}

    def is_pure_call(self, call: cst.Call) -> bool:
        """Tell whether the call itself, apart from its arguments, only computes a value."""
        qualified = self._resolver.qualified(call.func)
        if qualified == "builtins.next":
            return bool(call.args) and isinstance(call.args[0].value, cst.GeneratorExp)
        if qualified is not None:
            return knowledge.is_pure_function(qualified) and all(map(self._is_harmless, call.args))
        if isinstance(call.func, cst.Name):
            name = call.func.value
            functions = self._resolver.functions(name)
            is_known = bool(functions) and self._resolver.names.binds[name] == len(functions)
            return self._resolver.is_record(name) or (is_known and all(map(self.is_pure_function, functions)))
        if isinstance(call.func, cst.Attribute):
            name = call.func.attr.value
            if len(call.args) < knowledge.LEAST_ARGUMENTS.get(name, 0):
                return False
            methods = self._resolver.functions(name)
            return (bool(methods) or name in knowledge.PURE_METHODS) and all(map(self.is_pure_function, methods))
        return False

    def _is_harmless(self, arg: cst.Arg) -> bool:
        """Tell whether an argument is no function of this file that does more than compute: `map(save, rows)`."""
        functions = self._resolver.functions(arg.value.value) if isinstance(arg.value, cst.Name) else []
        return all(map(self.is_pure_function, functions))

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
        if any(self._own_functions(call) for call in called) and self._reaches_out(changes):
            return False
        return all(self._is_kept(read, changes) for read in _reads(expression))

    def holds_kept(self, value: cst.BaseExpression, changes: Changes) -> bool:
        """Tell whether the objects that a value is, or holds, are none that these changes touch."""
        return all(self._is_kept(_Read(path, _as_node(path)), changes) for path in self._aliases.sources(value))

    def _reaches_out(self, changes: Changes) -> bool:
        """Tell whether changes may touch what a function of this file could read: more than new local objects."""
        touched = {path[0] for path in changes.contents | changes.item_owners}
        return changes.opaque or bool(changes.attributes) or not touched <= self._aliases.fresh

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
        if any(self._touches(other, read) for other in changes.contents):
            return False
        if read.key is not None:
            return read.key not in changes.items
        return not any(self._aliases.are_twins(path, owner) for owner in changes.item_owners)

    def _touches(self, changed: Path, read: _Read) -> bool:
        """Tell whether a change of the content at one path changes what is read at another."""
        place = next((place for place, part in enumerate(changed) if part.startswith("#")), None)
        if place is not None:
            is_same = self._aliases.are_twins(read.path, changed[:place])
            return is_same if read.key is None else read.key == changed[place]
        group, other = self._aliases.group(read.path), self._aliases.group(changed)
        return starts_with(read.path, changed) or starts_with(group, other)

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
        if isinstance(node, cst.Subscript) and path is not None and path == path_of(node.value):
            path = (*path, literal_key(node) or "") if literal_key(node) else path
        if path is not None:
            found.contents.add(path)
        elif not isinstance(node, FRESH):
            found.unclear = True

    def _call(self, call: cst.Call, found: Changes) -> None:
        qualified = self._resolver.qualified(call.func)
        found.visible = True
        if qualified == "builtins.next":
            self._pass(call, found)
        elif qualified is not None and qualified.startswith("builtins."):
            is_reaching = qualified.removeprefix("builtins.") in knowledge.REACHING_BUILTINS
            if is_reaching or not all(map(self._is_harmless, call.args)):
                found.opaque = True
                self._pass(call, found)
        elif qualified is not None:
            if not knowledge.keeps_arguments(qualified) or not all(map(self._is_harmless, call.args)):
                self._pass(call, found)
            found.opaque |= qualified.partition(".")[0] not in sys.stdlib_module_names
        elif not self._call_own(call, found):
            self._pass(call, found)
            if isinstance(call.func, cst.Attribute):
                self._content(call.func.value, found)
                found.opaque |= call.func.attr.value not in knowledge.KEEPING_METHODS
            else:
                found.opaque = True

    def _pass(self, call: cst.Call, found: Changes) -> None:
        """Expect a call to change what it is given, also through a function that it is given; not what that holds."""
        name = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
        if name in knowledge.KEEPING_METHODS and self._resolver.qualified(call.func) is None:
            return
        for arg in call.args:
            found.contents.update(self._aliases.sources(arg.value))
            for node in walk(arg.value):
                if isinstance(node, cst.Lambda):
                    found.contents.update(read.path for read in _reads(node.body))

    def _call_own(self, call: cst.Call, found: Changes) -> bool:
        """Add what the functions change that a call may reach; False if it may reach others."""
        func = call.func
        name = func.attr.value if isinstance(func, cst.Attribute) else text(func)
        functions = self._resolver.functions(name)
        makes_object = isinstance(func, cst.Name) and not functions
        if makes_object:
            functions = self._resolver.constructors(name) or []
        if makes_object and self._resolver.constructors(name) is None:
            return False
        if isinstance(func, cst.Name) and not makes_object and len(functions) != self._resolver.names.binds[name]:
            return False
        if isinstance(func, cst.Attribute) and not functions:
            return False
        for function in functions:
            self._add(self._summary(function), call, found, makes_object=makes_object)
        return True

    def _add(self, inner: Changes, call: cst.Call, found: Changes, *, makes_object: bool) -> None:
        """Add what one function changes, as seen by its caller."""
        found.items |= inner.items
        found.opaque |= inner.opaque
        if not makes_object:
            found.attributes |= inner.attributes
        if _ARGUMENT in inner.contents or inner.opaque:
            self._pass(call, found)
        if _ARGUMENT in inner.item_owners:
            found.item_owners.update(path for arg in call.args for path in self._aliases.sources(arg.value))
        receiver = base_path(call.func.value) if isinstance(call.func, cst.Attribute) else None
        for paths, touched in ((inner.contents, found.contents), (inner.item_owners, found.item_owners)):
            for path in paths - {_ARGUMENT}:
                if path[0] != _RECEIVER[0]:
                    touched.add(path)
                elif receiver is not None:
                    touched.add((*receiver, *path[1:]))
                elif not makes_object and _ARGUMENT not in paths:
                    found.opaque = True

    def _summary(self, function: cst.FunctionDef) -> Changes:
        """Give what calling a function of this file changes, but for objects that it made itself."""
        if function not in self._summaries:
            self._summaries[function] = Changes()  # what recursion adds is what the function does anyway
            found = self.changes(function.body)
            aliases = Aliases(self._resolver, function)
            parameters = [node.name.value for node in walk(function.params) if isinstance(node, cst.Param)]
            found.opaque |= found.unclear or not _is_plain(function)
            for paths in (found.contents, found.item_owners):
                touched = {path for path in paths if path[0] not in aliases.fresh}
                found.opaque |= any(path[0] in aliases.local and path[0] not in parameters for path in touched)
                paths.clear()
                paths.update(named for path in touched for named in _as_told(path, parameters))
            self._summaries[function] = found
        return self._summaries[function]

    def _only_computes(self, function: cst.FunctionDef) -> bool:
        if function.asynchronous is not None or names_in(function.body).shared:
            return False
        if not _is_plain(function):
            return False
        found = self.changes(function.body)
        if found.opaque or found.visible or found.unclear or found.attributes:
            return False
        own = Aliases(self._resolver, function).fresh
        return all(path[0] in own and len(path) == 1 for path in {*found.contents, *found.item_owners})


# In a summary: an object that the caller passes, and the one that a method is called on.
_ARGUMENT: Path = ("(argument)",)
_RECEIVER: Path = ("(receiver)",)


def _as_told(path: Path, parameters: list[str]) -> Iterator[Path]:
    """Give what a path in a function is for its caller: the same global, an argument, or the method's object."""
    if path[0] not in parameters:
        yield path
        return
    is_receiver = path[0] == parameters[0]
    if is_receiver:
        yield (*_RECEIVER, *path[1:])
    if not is_receiver or path[0] not in {"self", "cls"}:
        yield _ARGUMENT


def _is_plain(function: cst.FunctionDef) -> bool:
    """Tell whether calling the name of a function just runs its body."""
    return all(path_of(each.decorator) in _PURE_DECORATORS for each in function.decorators)


_PURE_DECORATORS = {("staticmethod",), ("classmethod",), ("property",), ("cache",), ("functools", "cache")}


def _as_node(path: Path) -> cst.Name | cst.Attribute:
    node: cst.Name | cst.Attribute = cst.Name(path[0])
    for name in path[1:]:
        node = cst.Attribute(node, cst.Name(name))
    return node


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
        if key is not None:
            yield _Read(("",), node, key)
    elif isinstance(node, cst.Name | cst.Attribute):
        path = path_of(node)
        yield _Read(path or ("", text(node.attr)), node)  # type: ignore[union-attr] # a name always has a path
        below = [node.value] if path is None and isinstance(node, cst.Attribute) else []
    for child in below:
        yield from _reads(child)

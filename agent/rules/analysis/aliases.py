"""Which names of a scope may stand for the same object, or for parts of the same object."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis import knowledge
from afterburner.agent.rules.analysis.free_names import names_in
from afterburner.agent.rules.analysis.tree import Comprehension, children, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.rules.analysis.resolve import Resolver

Path = tuple[str, ...]  # ("self", "items") for `self.items`

FRESH = (
    cst.List, cst.Dict, cst.Set, cst.Tuple, Comprehension, cst.BaseNumber, cst.BaseString, cst.BinaryOperation,
    cst.Comparison, cst.UnaryOperation, cst.GeneratorExp, cst.Lambda,
)  # fmt: skip


def path_of(node: cst.CSTNode) -> Path | None:
    """Give the dotted path of a name or attribute chain; None for anything else."""
    if isinstance(node, cst.Name):
        return (node.value,)
    if isinstance(node, cst.Attribute):
        owner = path_of(node.value)
        return (*owner, node.attr.value) if owner else None
    return None


def base_path(node: cst.CSTNode) -> Path | None:
    """Give the path that a chain of attributes, subscripts and method calls starts from: `x.a` for `x.a[0].get(k)`."""
    while True:
        path = path_of(node)
        if path is not None:
            return path
        if isinstance(node, cst.Subscript | cst.Attribute):
            node = node.value
        elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            node = node.func.value
        else:
            return None


_HOLDERS = (
    cst.IfExp, cst.BooleanOperation, cst.Tuple, cst.List, cst.Element, cst.StarredElement, Comprehension,
)  # fmt: skip


def literal_key(node: cst.Subscript) -> str | None:
    """Give a text for a key that is a plain string or number, no attribute's name: `row["id"]`, `row[0]`."""
    if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        value = node.slice[0].slice.value
        if isinstance(value, cst.SimpleString):
            return f"#{value.raw_value}"
        if isinstance(value, cst.Integer):
            return f"#{value.evaluated_value}#"
    return None


def starts_with(path: Path, start: Path) -> bool:
    """Tell whether a path goes through another one: `x.a.b` through `x.a`."""
    return path[: len(start)] == start


class Aliases:
    """Which names of a scope may stand for the same object, or for parts of the same object."""

    def __init__(self, resolver: Resolver, scope: cst.CSTNode) -> None:
        self._resolver = resolver
        self._parent: dict[Path, Path] = {}
        self._twins: dict[Path, set[Path]] = {}
        names = names_in(scope)
        self.local = set(names.binds) - names.shared
        self.fresh = self.local - {node.name.value for node in walk(scope) if isinstance(node, cst.Param)}
        for node in walk(scope):
            self._learn(node)

    def group(self, path: Path) -> Path:
        """Give a path that stands for the whole group of this one."""
        for length in range(len(path), 0, -1):
            if path[:length] in self._parent:
                return (*self._root(path[:length]), *path[length:])
        return path

    def are_twins(self, first: Path, second: Path) -> bool:
        """Tell whether an assignment like `first = second` makes one object of two names."""
        reached, waiting = {first}, [first]
        while waiting:
            new = self._twins.get(waiting.pop(), set()) - reached
            reached |= new
            waiting.extend(new)
        return second in reached

    def _root(self, path: Path) -> Path:
        while self._parent[path] != path:
            path = self._parent[path]
        return path

    def _join(self, first: Path, second: Path) -> None:
        for path in (first, second):
            self._parent.setdefault(path, path)
        self._parent[self._root(first)] = self._root(second)

    def _learn(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.Assign):
            for target in node.targets:
                self._bind(target.target, node.value)
        elif isinstance(node, cst.AnnAssign | cst.NamedExpr) and node.value is not None:
            self._bind(node.target, node.value)
        elif isinstance(node, cst.For | cst.CompFor):
            self._bind(node.target, node.iter, part=True)
        elif isinstance(node, cst.WithItem) and node.asname is not None:
            self._bind(node.asname.name, node.item, part=True)

    def _bind(self, target: cst.CSTNode, value: cst.BaseExpression, *, part: bool = False) -> None:
        if isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self._bind(element.value, value, part=True)
            return
        if isinstance(target, cst.StarredElement):
            target = target.value
        path = path_of(target)
        if path is None:
            return
        sources = list(self.sources(value))
        if part or not self._is_fresh(value):
            self.fresh.discard(path[0])
        for source in sources:
            self._join(path, source)
            if not part and not isinstance(value, cst.Subscript | cst.Call):
                self._twins.setdefault(path, set()).add(source)
                self._twins.setdefault(source, set()).add(path)

    def _is_fresh(self, value: cst.BaseExpression) -> bool:
        if isinstance(value, cst.Call):
            qualified = self._resolver.qualified(value.func)
            return qualified is not None and knowledge.is_pure_function(qualified)
        return isinstance(value, FRESH) or (isinstance(value, cst.Name) and value.value in {"None", "True", "False"})

    def sources(self, value: cst.CSTNode) -> Iterator[Path]:
        """Give the paths of objects that a value may be, be part of, or hold."""
        if isinstance(value, cst.Call):
            yield from self._sources_of_call(value)
        elif isinstance(value, cst.Name | cst.Attribute | cst.Subscript):
            path = base_path(value)
            if path is not None:
                yield path
        elif isinstance(value, _HOLDERS):
            for child in children(value):
                yield from self.sources(child)

    def _sources_of_call(self, call: cst.Call) -> Iterator[Path]:
        qualified = self._resolver.qualified(call.func)
        if qualified is not None and qualified.removeprefix("builtins.") in knowledge.SCALAR_BUILTINS:
            return
        if qualified is None and isinstance(call.func, cst.Attribute):
            if call.func.attr.value in knowledge.SCALAR_METHODS:
                return
            yield from self.sources(call.func.value)
        for arg in call.args:
            yield from self.sources(arg.value)

"""What the rules ask of a scope: its functions, their variables, every use of them, and what is repeated."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, TypeVar

import libcst as cst

from afterburner.agent.rules.analysis.free_names import Names, fresh_name, names_in
from afterburner.agent.rules.analysis.resolve import resolver_of
from afterburner.agent.rules.analysis.tree import Comprehension, Function, Tree, walk
from afterburner.agent.rules.analysis.uses import Kind, Use, consumes, is_label, use_of

if TYPE_CHECKING:
    from afterburner.agent.rules.rule import RuleInput

Region = cst.FunctionDef | cst.Module  # its variables live and die together
_Node = TypeVar("_Node", bound=cst.CSTNode)
Repeat = cst.For | cst.While | Comprehension

_REFLECTIVE = {"eval", "exec", "locals", "globals", "vars", "dir"}


class _Facts:
    """What is collected once for a scope, whatever rule asks."""

    def __init__(self, scope: Region) -> None:
        self.tree = Tree(scope)
        self.names: dict[cst.CSTNode, Names] = {}
        self.order: dict[cst.CSTNode, int] = {}
        self.by_type: dict[type[cst.CSTNode], list[cst.CSTNode]] = {}
        self.occurrences: dict[str, list[cst.Name]] = {}
        for place, node in enumerate(self.tree.nodes):
            self.order[node] = place
            self.by_type.setdefault(type(node), []).append(node)
            if isinstance(node, cst.Name) and not is_label(self.tree, node):
                self.occurrences.setdefault(node.value, []).append(node)
        self.ends: dict[cst.CSTNode, int] = {}  # the place behind the last node of each
        for node in reversed(self.order):
            parent = self.tree.parents.get(node)
            end = self.ends.setdefault(node, self.order[node] + 1)
            if parent is not None:
                self.ends[parent] = max(end, self.ends.get(parent, 0))


@functools.lru_cache(maxsize=2)
def _facts_of(scope: Region) -> _Facts:
    return _Facts(scope)


class Analysis:
    """One scope of one file, with the questions that rules ask about it."""

    def __init__(self, rule_input: RuleInput) -> None:
        self.module = rule_input.module
        self.scope = rule_input.scope
        self.resolver = resolver_of(rule_input.module)
        self._facts = _facts_of(rule_input.scope)
        self.tree = self._facts.tree
        self._given: dict[Region, set[str]] = {}
        self._uses: dict[tuple[str, Region], list[Use]] = {}

    def fresh(self, wanted: str, region: Region) -> str:
        """Give a name that the file does not know, and that was not given in this region before."""
        given = self._given.setdefault(region, set())
        name = fresh_name(wanted, self.resolver.names.all | given)
        given.add(name)
        return name

    def regions(self) -> list[Region]:
        """Give the scope and the functions in it, except where names can be reached as text (`eval`, `locals`)."""
        inner = [each for each in self.find(cst.FunctionDef) if each is not self.scope]
        spots = [
            node
            for name in _REFLECTIVE
            if name not in self.resolver.names.binds
            for node in self._facts.occurrences.get(name, [])
        ]
        found = (self.scope, *inner)
        return [region for region in found if not any(self.within(spot, region) for spot in spots)]

    def find(self, kind: type[_Node]) -> list[_Node]:
        """Give all nodes of exactly this type in reading order."""
        return self._facts.by_type.get(kind, [])  # type: ignore[return-value] # they are kept by type

    def within(self, node: cst.CSTNode, outer: cst.CSTNode) -> bool:
        """Tell whether `node` is `outer` or stands in it; both are of the scope."""
        order = self._facts.order
        return order[outer] <= order[node] < self._facts.ends[outer]

    def region_of(self, node: cst.CSTNode) -> Function | cst.Module:
        """Give the function, lambda, class or module that the names at this place belong to."""
        return self.tree.function(node)

    def names(self, node: cst.CSTNode) -> Names:
        """Give the names in a node, computed once."""
        if node not in self._facts.names:
            self._facts.names[node] = names_in(node)
        return self._facts.names[node]

    def variables(self, region: Region) -> list[str]:
        """Give the names that the region itself binds and that are its own, parameters too, in order of appearance."""
        names = self.names(region)
        return [
            name
            for name in self._facts.occurrences
            if names.binds[name]
            and name not in names.shared
            and any(use.kind in {Kind.BIND, Kind.REBIND, Kind.AUGMENT} for use in self.uses(name, region))
        ]

    def occurrences(self, name: str, *within: cst.CSTNode) -> list[cst.Name]:
        """Give the places where a name stands in any of these nodes, in reading order."""
        return [
            node for node in self._facts.occurrences.get(name, []) if any(self.within(node, outer) for outer in within)
        ]

    def uses(self, name: str, region: Region) -> list[Use]:
        """Give every use of a variable of the region, in reading order."""
        key = (name, region)
        if key not in self._uses:
            own = region.name if isinstance(region, cst.FunctionDef) else None
            self._uses[key] = [self.use(node, region) for node in self.occurrences(name, region) if node is not own]
        return self._uses[key]

    def use(self, node: cst.Name, region: Region) -> Use:
        """Tell how a variable of the region is used at this place."""
        inside = self.tree.ancestors(node) if self.region_of(node) is region else ()
        is_shadowed = any(
            isinstance(ancestor, Comprehension) and node.value in self.names(ancestor).binds
            for ancestor in inside
            if ancestor is not region
        )
        return use_of(self.tree, self.resolver, node, region, is_shadowed=is_shadowed)

    def parameters(self, region: Region) -> dict[str, cst.Param]:
        """Give the parameters by name."""
        if not isinstance(region, cst.FunctionDef):
            return {}
        group = region.params
        stars = [star for star in (group.star_arg, group.star_kwarg) if isinstance(star, cst.Param)]
        return {each.name.value: each for each in (*group.posonly_params, *group.params, *group.kwonly_params, *stars)}

    def repeats(self, node: cst.CSTNode) -> list[Repeat]:
        """Give what repeats the node within its function, from the inside out: loops and comprehensions."""
        found: list[Repeat] = []
        below = node
        for ancestor in self.tree.ancestors(node):
            if isinstance(ancestor, Function):
                break
            if isinstance(ancestor, Comprehension):
                if not self._is_first_iterable(below, ancestor, node):
                    found.append(ancestor)
            elif (isinstance(ancestor, cst.For) and below is ancestor.body) or (
                isinstance(ancestor, cst.While) and below in (ancestor.body, ancestor.test)
            ):
                found.append(ancestor)
            below = ancestor
        return found

    def is_eager(self, repeat: Repeat) -> bool:
        """Tell whether a comprehension (or loop) is gone through right where it stands."""
        if not isinstance(repeat, cst.GeneratorExp):
            return True
        arg = self.tree.parents.get(repeat)
        call = self.tree.parents.get(arg) if isinstance(arg, cst.Arg) else None
        if isinstance(call, cst.Call):
            return consumes(self.resolver, call)
        return isinstance(arg, cst.For) and arg.iter is repeat

    def before(self, first: cst.CSTNode, second: cst.CSTNode) -> bool:
        """Tell whether `first` begins above `second` in the text."""
        return self._facts.order[first] < self._facts.order[second]

    def yields(self, node: cst.CSTNode) -> bool:
        """Tell whether the code may be left and entered again in its middle."""
        return any(isinstance(each, cst.Yield | cst.Await) for each in walk(node))

    @staticmethod
    def _is_first_iterable(below: cst.CSTNode, comprehension: Comprehension, node: cst.CSTNode) -> bool:
        """Tell whether the node stands in what the comprehension goes through first, which is evaluated once."""
        return (
            below is comprehension.for_in
            and isinstance(below, cst.CompFor)
            and any(each is node for each in walk(below.iter))
        )

"""What gives the same value in every round of a loop is computed once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.aliases import base_path, path_of
from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.free_names import canonical, fresh_name, names_in, text
from afterburner.agent.rules.analysis.places import outermost_stable, regions_of, stand_in, statement_before
from afterburner.agent.rules.analysis.resolve import resolver_of
from afterburner.agent.rules.analysis.shapes import makes_mutable, may_be_iterator
from afterburner.agent.rules.analysis.tree import Comprehension, Edits, Function, Tree, children, walk
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.rules.analysis.resolve import Resolver

# Cheap, or fresh iterators, or views: nothing is gained by keeping them.
_KEPT = frozenset(
    (
        "callable", "dict", "enumerate", "filter", "hasattr", "hash", "id", "iter", "list", "map", "range", "reversed",
        "super", "type", "zip",
    )
)  # fmt: skip
_CHEAP = frozenset(("abs", "bool", "callable", "isinstance", "len", "ord"))
_VIEWS = frozenset(("copy", "items", "keys", "values"))
_READERS = frozenset(("all", "any", "frozenset", "join", "len", "list", "max", "min", "set", "sorted", "sum", "tuple"))


class HoistInvariants:
    """Compute before a loop the values that it does not change.

    If the loop may not need the value, it is computed at its first use: an error must not come
    earlier, or from a loop without rounds.

    Before::

        for line in lines:
            if line.startswith(prefix.strip()):
                found.append(line)

    After::

        prefix_strip = prefix.strip() if lines else None
        for line in lines:
            if line.startswith(prefix_strip):
                found.append(line)
    """

    name = "hoist-invariants"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Move every pure call whose operands no round changes, the largest expression around it that is like it."""
        resolver = resolver_of(rule_input.module)
        tree = Tree(rule_input.scope)
        finder = _Finder(tree, Effects(resolver, rule_input.scope), resolver)
        groups: dict[tuple[cst.CSTNode, str], list[_Invariant]] = {}
        for found in finder.search(rule_input.scope):
            groups.setdefault((found.region, canonical(found.expression)), []).append(found)
        edits, taken = Edits(), set(resolver.names.all)
        for group in groups.values():
            name = fresh_name(_word(group[0].expression, resolver), taken)
            if _hoist(name, group, tree, edits):
                taken.add(name)
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


@dataclass(frozen=True, slots=True)
class _Invariant:
    """An expression, and the outermost region in which it keeps its value."""

    expression: cst.BaseExpression
    region: cst.CSTNode
    place: cst.BaseStatement  # before the region


class _Finder:
    def __init__(self, tree: Tree, effects: Effects, resolver: Resolver) -> None:
        self._tree, self._effects, self._resolver = tree, effects, resolver

    def search(self, node: cst.CSTNode) -> Iterator[_Invariant]:
        """Give the largest invariant expressions below a node."""
        if isinstance(node, cst.BaseExpression) and self._is_worth(node):
            region = outermost_stable(self._tree, node, node, self._effects)
            place = statement_before(self._tree, region) if region else None
            if region is not None and place is not None:
                yield _Invariant(node, region, place)
                return
        for child in children(node):
            yield from self.search(child)

    def _is_worth(self, node: cst.BaseExpression) -> bool:
        if not regions_of(self._tree, node) or not self._holds_work(node) or not self._effects.is_pure(node):
            return False
        if makes_mutable(node, self._resolver) and not self._is_only_read(node):
            return False
        return not any(self._is_consumed(name) for name in names_in(node).reads)

    def _holds_work(self, node: cst.BaseExpression) -> bool:
        """Tell whether the expression is a call worth saving, or arithmetic, an item or an attribute of one."""
        match node:
            case cst.ListComp() | cst.SetComp() | cst.DictComp():
                return True
            case cst.Call(func=cst.Attribute(attr=cst.Name(value=method))) if method in _VIEWS:
                return False
            case cst.Call():
                return (self._resolver.qualified(node.func) or "").removeprefix("builtins.") not in _KEPT
            case cst.BinaryOperation():
                return self._holds_work(node.left) or self._holds_work(node.right)
            case cst.Subscript() | cst.Attribute():
                parent = self._tree.parents.get(node)
                is_method = isinstance(parent, cst.Call) and parent.func is node
                return not is_method and self._holds_work(node.value)
            case _:
                return False

    def _is_only_read(self, node: cst.BaseExpression) -> bool:
        """Tell whether the place where a fresh list stands reads it and lets go of it."""
        parent = self._tree.parents.get(node)
        if isinstance(parent, cst.ComparisonTarget | cst.For | cst.CompFor | cst.Subscript):
            return True
        if isinstance(parent, cst.Comparison):
            return True
        call = self._tree.parents.get(parent) if isinstance(parent, cst.Arg) else None
        if not isinstance(call, cst.Call):
            return False
        name = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
        return isinstance(name, cst.Name) and name.value in _READERS

    def _is_consumed(self, name: str) -> bool:
        return may_be_iterator(cst.Name(name), self._tree.scope, self._resolver)


def _hoist(name: str, group: list[_Invariant], tree: Tree, edits: Edits) -> bool:
    """Plan the changes for one expression, wherever it stands in its region; tell whether there are any."""
    first = group[0]
    written = _written(first.expression)
    if any(_is_certain(found, tree) for found in group):
        edits.insert_before(first.place, f"{name} = {written}")
    elif len(group) == 1 and (guard := _needed_if(first, tree)):
        edits.insert_before(first.place, f"{name} = {written} if {guard} else None")
    else:
        if _is_cheap(first.expression):
            return False
        lines = {line: guard for found in group for line, guard in [_line_of(found.expression, tree)]}
        if len(lines) > 2 or not all(line and line is not first.place and _may_repeat(line, tree) for line in lines):
            return False
        edits.insert_before(first.place, f"{name} = None")
        for line, guard in lines.items():
            test = f"{name} is None and {guard}" if guard else f"{name} is None"
            if line is not None:
                edits.insert_before(line, f"if {test}:\n    {name} = {written}")
    for found in group:
        edits.replace(found.expression, stand_in(tree, found.expression, name))
    return True


def _written(expression: cst.BaseExpression) -> str:
    """Write an expression without its own brackets, unless they hold several lines together."""
    written = text(expression)
    return written if "\n" in written else text(expression.with_changes(lpar=[], rpar=[]))


def _is_cheap(expression: cst.BaseExpression) -> bool:
    """Tell whether an expression hardly costs more than a look at whether its value is known already."""
    if isinstance(expression, Comprehension):
        return False
    calls = [node for node in walk(expression) if isinstance(node, cst.Call)]
    return all(text(call.func) in _CHEAP or _is_look_up(call) for call in calls)


def _is_look_up(call: cst.Call) -> bool:
    if isinstance(call.func, cst.Attribute):
        return call.func.attr.value == "get"
    return text(call.func) in {"max", "min"} and len(call.args) > 1


def _is_certain(found: _Invariant, tree: Tree) -> bool:
    """Tell whether the region evaluates the expression first of all: a `while` its test."""
    region = found.region
    return (
        isinstance(region, cst.While)
        and tree.within(found.expression, region.test)
        and is_unconditional(tree, found.expression, region.test)
    )


def _needed_if(found: _Invariant, tree: Tree) -> str | None:
    """Give the condition under which the region evaluates the expression, if nothing can be noticed before it."""
    region = found.region
    if isinstance(region, cst.For):
        body = region.body.body
        line = tree.line(found.expression)
        if not body or line is not body[0] or not _is_head(found.expression, line, tree):
            return None
        return _not_empty(region.iter)
    if isinstance(region, Comprehension):
        return _comprehension_guard(found.expression, region, tree)
    return None


def _comprehension_guard(node: cst.BaseExpression, holder: cst.CSTNode, tree: Tree) -> str | None:
    """Give the condition under which a comprehension evaluates what stands in its first test, or its element."""
    if not isinstance(holder, Comprehension) or holder.for_in.inner_for_in is not None:
        return None
    first: cst.CSTNode
    if holder.for_in.ifs:
        first = holder.for_in.ifs[0].test
    elif isinstance(holder, cst.DictComp):
        first = holder.key
    else:
        first = holder.elt
    if not tree.within(node, first) or not is_unconditional(tree, node, first):
        return None
    return _not_empty(holder.for_in.iter)


def _not_empty(iterated: cst.BaseExpression) -> str | None:
    """Write the test that a loop over this has a round; None if the text does not tell."""
    if isinstance(iterated, cst.Call):
        if isinstance(iterated.func, cst.Attribute) and iterated.func.attr.value in {"items", "keys", "values"}:
            return _not_empty(iterated.func.value)
        if isinstance(iterated.func, cst.Name) and iterated.func.value in {"enumerate", "reversed", "sorted", "len"}:
            return _not_empty(iterated.args[0].value) if len(iterated.args) == 1 else None
        if isinstance(iterated.func, cst.Name) and iterated.func.value == "range" and len(iterated.args) == 1:
            return _not_empty(iterated.args[0].value) if isinstance(iterated.args[0].value, cst.Call) else None
        return None
    return text(iterated) if path_of(iterated) else None


def _line_of(node: cst.BaseExpression, tree: Tree) -> tuple[cst.BaseStatement | None, str]:
    """Give the statement before which a needed value can be made sure of, and on what condition it is needed."""
    line = tree.line(node)
    if line is None or isinstance(line, Function | cst.Try | cst.TryStar | cst.Match):
        return None, ""
    holder = next((each for each in tree.ancestors(node) if isinstance(each, Comprehension)), None)
    if holder is not None and tree.within(holder, line) and not tree.within(node, holder.for_in.iter):
        guard = _comprehension_guard(node, holder, tree)
        is_head = guard is not None and _is_head(holder, line, tree)
        return (line if is_head else None), guard or ""
    return (line if _is_head(node, line, tree) else None), ""


def _may_repeat(line: cst.BaseStatement, tree: Tree) -> bool:
    """Tell whether the block of a statement may run more than once: it does not end the function."""
    last = tree.block(line)[-1]
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else None
    return not isinstance(small, cst.Raise | cst.Return)


def _is_head(node: cst.CSTNode, line: cst.BaseStatement, tree: Tree) -> bool:
    """Tell whether a statement evaluates the expression whenever it runs, before any block in it."""
    head: cst.CSTNode = line
    if isinstance(line, cst.If | cst.While):
        head = line.test
    elif isinstance(line, cst.For):
        head = line.iter
    elif not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return False
    return tree.within(node, head) and is_unconditional(tree, node, head)


def is_unconditional(tree: Tree, node: cst.CSTNode, outer: cst.CSTNode) -> bool:
    """Tell whether evaluating `outer` always evaluates `node`, and once."""
    below = node
    for ancestor in tree.ancestors(node):
        if below is outer:
            break
        if _may_skip(tree, ancestor, below, node):
            return False
        below = ancestor
    return below is outer


def _may_skip(tree: Tree, outer: cst.CSTNode, part: cst.CSTNode, node: cst.CSTNode) -> bool:
    """Tell whether an expression may leave out, or repeat, this part of itself, in which the node is."""
    match outer:
        case cst.BooleanOperation():
            return part is outer.right
        case cst.IfExp():
            return part is not outer.test
        case cst.Comparison():
            return part in outer.comparisons[1:]
        case cst.ListComp() | cst.SetComp() | cst.DictComp() | cst.GeneratorExp():
            return not tree.within(node, outer.for_in.iter)
        case _:
            return isinstance(outer, cst.Assert | Function)


def _word(expression: cst.BaseExpression, resolver: Resolver) -> str:
    """Give a name for a value: `prefix_strip` for `prefix.strip()`, `sorted_rules` for `sorted(rules)`."""
    call = next((node for node in walk(expression) if isinstance(node, cst.Call)), None)
    if call is None or expression is not call:
        return "fixed"
    function = call.func
    is_method = isinstance(function, cst.Attribute) and resolver.qualified(function) is None
    subject: cst.CSTNode | None = call.args[0].value if call.args else None
    name = text(function.attr if isinstance(function, cst.Attribute) else function)
    if is_method and isinstance(function, cst.Attribute):
        subject = function.value
    path = base_path(subject) if subject is not None else None
    word = path[-1].strip("_") if path else "fixed"
    return f"{word}_{name}" if is_method else f"{name.strip('_')}_{word}"

"""A loop that fills a list which is gone through once hands its elements on one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.edits import first_argument, is_empty, is_statement, leaves_block
from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.free_names import names_in, target_names, text
from afterburner.agent.rules.analysis.scans import is_read_outside
from afterburner.agent.rules.analysis.scope import Analysis, Region
from afterburner.agent.rules.analysis.stream_variables import READERS, is_gone_through, is_readlines
from afterburner.agent.rules.analysis.tree import Comprehension, Edits, walk
from afterburner.agent.rules.analysis.uses import Kind, Use
from afterburner.agent.rules.analysis.value_types import Types
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ENDS = (cst.Return, cst.Yield, cst.Await, cst.Global, cst.Nonlocal, cst.FunctionDef, cst.ClassDef, cst.Del)


class StreamLoops:
    """Yield elements instead of collecting them in a list.

    Before::

        rows = []
        for line in lines:
            if line.startswith(prefix):
                rows.append(parse(line))
        total = 0
        for row in rows:
            total += row.amount

    After::

        def iter_rows():
            for line in lines:
                if line.startswith(prefix):
                    yield parse(line)
        total = 0
        for row in iter_rows():
            total += row.amount
    """

    name = "yielded-rows"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every list that one loop fills and one other loop, or a call like `sum`, goes through."""
        analysis, edits = Analysis(rule_input), Edits()
        types = Types(analysis)
        for region in analysis.regions():
            effects = Effects(analysis.resolver, region)
            for name in analysis.variables(region):
                found = _find(analysis, name, region)
                if found is not None and _Check(analysis, types, effects, region, found).passes():
                    _rewrite(analysis, region, found, edits)
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


@dataclass(frozen=True, slots=True)
class _Collected:
    """`name = []` at `start`, a compound statement `build` with all appends, and the one `read`, in `after`."""

    name: str
    start: cst.SimpleStatementLine
    build: cst.For | cst.While | cst.With
    appends: list[cst.Call]
    read: Use
    after: Sequence[cst.BaseStatement]  # from behind `build` to the statement that goes through the list


def _find(analysis: Analysis, name: str, region: Region) -> _Collected | None:
    """Read a variable that is nothing but such a list; None if it is more."""
    uses = analysis.uses(name, region)
    appends = [use for use in uses if use.kind is Kind.METHOD and use.method == "append"]
    others = [use for use in uses if use not in appends]
    if len(others) != 2 or not appends or not all(is_statement(analysis.tree, use.call) for use in appends):
        return None
    bind, read = others
    start = analysis.tree.line(bind.name)
    if not isinstance(start, cst.SimpleStatementLine) or len(start.body) != 1 or not _is_empty_list(bind):
        return None
    if len(analysis.repeats(read.name)) != len(analysis.repeats(bind.name)):
        return None
    block = list(analysis.tree.block(start))
    build = next((line for line in block if analysis.within(appends[0].name, line)), None)
    end = next((line for line in block if analysis.within(read.name, line)), None)
    if end is None or not isinstance(build, cst.For | cst.While | cst.With):
        return None
    first, last = block.index(build), block.index(end)
    calls = [use.call for use in appends if analysis.within(use.name, build) and first_argument(use.call) is not None]
    if not block.index(start) < first < last or len(calls) != len(appends):
        return None
    return _Collected(name, start, build, calls, read, block[first + 1 : last + 1])


def _is_empty_list(bind: Use) -> bool:
    """Tell whether this is `name = []`, or `name = list()`."""
    if bind.kind is not Kind.BIND or not isinstance(bind.holder, cst.Assign | cst.AnnAssign) or bind.value is None:
        return False
    is_alone = isinstance(bind.holder, cst.AnnAssign) or isinstance(bind.holder.targets[0].target, cst.Name)
    return is_alone and is_empty(bind.value) and text(bind.value) in {"[]", "list()"}


class _Check:
    """Whether nothing but the time at which the elements are made is changed, and nobody can tell that."""

    def __init__(self, analysis: Analysis, types: Types, effects: Effects, region: Region, found: _Collected) -> None:
        self._analysis, self._types, self._effects = analysis, types, effects
        self._region, self._found = region, found
        self._own = _bound_by_statements(found.build)

    def passes(self) -> bool:
        """Tell whether the list may be made while it is gone through."""
        analysis, found = self._analysis, self._found
        if not is_gone_through(analysis, found.read, {}) or any(isinstance(node, _ENDS) for node in walk(found.build)):
            return False
        if any(isinstance(node, cst.Try | cst.TryStar) for node in analysis.tree.ancestors(found.build)):
            return False  # what was done before an exception would be seen
        if leaves_block(analysis.tree, found.build) or any(map(analysis.yields, found.after)):
            return False
        return all(map(self._is_inner, self._own)) and self._is_quiet() and self._is_stable()

    def _is_inner(self, name: str) -> bool:
        """Tell whether a name that the loop binds matters to it alone."""
        analysis, build = self._analysis, self._found.build
        before = [
            node
            for node in analysis.occurrences(name, self._region)
            if analysis.before(node, build) and not isinstance(analysis.tree.parents.get(node), cst.CompFor)
        ]
        return not before and not is_read_outside(analysis.tree, build, name)

    def _is_quiet(self) -> bool:
        """Tell whether the loop changes nothing that the rest of the function can see."""
        build = self._found.build
        code: list[cst.CSTNode] = [build]
        if isinstance(build, cst.With):
            if not all(self._is_file(item.item) for item in build.items):
                return False
            code = [build.body]
        changes = self._effects.changes(*code, leave_out=self._understood())
        return not (changes.opaque or changes.visible or changes.unclear or changes.attributes) and all(
            path[0] in self._own for path in (*changes.contents, *changes.item_owners)
        )

    def _is_file(self, item: cst.BaseExpression) -> bool:
        return self._types.name(item, self._region) == "file" and self._effects.is_pure(
            cst.Tuple([cst.Element(arg.value) for arg in item.args]) if isinstance(item, cst.Call) else item
        )

    def _understood(self) -> list[cst.CSTNode]:
        """Give the calls in the loop that read a file, or fill the list."""
        resolver = self._analysis.resolver
        reading = [
            node
            for node in walk(self._found.build)
            if isinstance(node, cst.Call) and (is_readlines(node) or resolver.is_call(node, *READERS))
        ]
        return [*self._found.appends, *reading]

    def _is_stable(self) -> bool:
        """Tell whether what comes after changes nothing that the loop reads, nor anything that outlives a failure."""
        changes = self._effects.changes(*self._found.after)
        if changes.opaque or changes.visible or changes.unclear or changes.attributes:
            return False
        parameters = self._analysis.parameters(self._region)
        bound = self._analysis.names(self._region).binds
        outer = {*changes.contents, *changes.item_owners}
        if any(not bound[path[0]] or path[0] in parameters or len(path) > 1 for path in outer):
            return False
        return self._reads_alone() and all(
            self._effects.is_stable(read, changes) for read in self._reads_from_outside()
        )

    def _reads_from_outside(self) -> list[cst.BaseExpression]:
        """Give the variables, with their attributes, that the loop reads and does not bind."""
        tree, build = self._analysis.tree, self._found.build
        names = [
            name for name in self._analysis.names(build).reads if name not in self._own and name != self._found.name
        ]
        found: list[cst.BaseExpression] = []
        for node in (each for name in names for each in self._analysis.occurrences(name, build)):
            read: cst.BaseExpression = node
            parent = tree.parents[read]
            while isinstance(parent, cst.Attribute) and not isinstance(tree.parents[parent], cst.Call):
                read, parent = parent, tree.parents[parent]
            found.append(read)
        return found

    def _reads_alone(self) -> bool:
        """Tell whether a file that the loop reads is not used by what comes after."""
        read = [arg.value for node in self._understood() if isinstance(node, cst.Call) for arg in node.args]
        files = [value.value for value in read if isinstance(value, cst.Name) and value.value not in self._own]
        return not any(self._analysis.occurrences(name, *self._found.after) for name in files)


def _bound_by_statements(build: cst.CSTNode) -> set[str]:
    """Give the names that a statement binds, without those that comprehensions keep to themselves."""
    kept = [name for node in walk(build) if isinstance(node, cst.CompFor) for name in target_names(node.target)]
    return {name for name, count in names_in(build).binds.items() if count > kept.count(name)}


def _rewrite(analysis: Analysis, region: Region, found: _Collected, edits: Edits) -> None:
    maker = analysis.fresh(f"iter_{found.name}", region)
    for call in found.appends:
        edits.change(analysis.tree.parents[call], _yielded)
    edits.remove(found.start)
    edits.change(found.build, _as_generator(maker, found.start))
    edits.replace(found.read.name, cst.parse_expression(f"{maker}()"))


def _yielded(statement: cst.CSTNode) -> cst.CSTNode:
    """Write `yield x` for `rows.append(x)`."""
    call = statement.value if isinstance(statement, cst.Expr) else None
    if not isinstance(call, cst.Call):
        return statement
    value = call.args[0].value
    if isinstance(value, Comprehension | cst.NamedExpr) and not value.lpar and not isinstance(value, cst.ListComp):
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.Expr(cst.Yield(value))


def _as_generator(name: str, start: cst.SimpleStatementLine) -> Callable[[cst.CSTNode], cst.CSTNode]:
    """Make what puts a statement into a function; comments of the line that goes stay above it."""

    def change(build: cst.CSTNode) -> cst.CSTNode:
        if not isinstance(build, cst.For | cst.While | cst.With):
            return build
        return cst.FunctionDef(
            cst.Name(name),
            cst.Parameters(),
            cst.IndentedBlock([build.with_changes(leading_lines=[])]),
            leading_lines=[*start.leading_lines, *build.leading_lines],
        )

    return change

"""Finds what loops do with slices: `sum(xs[i:i + k])`, `x in xs[:i]`, also by way of a name or of indexes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.aliases import path_of
from afterburner.agent.rules.analysis.free_names import names_in, text
from afterburner.agent.rules.analysis.places import outermost_stable, statement_before
from afterburner.agent.rules.analysis.shapes import assigned_values
from afterburner.agent.rules.analysis.tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from afterburner.agent.rules.analysis.effects import Effects
    from afterburner.agent.rules.analysis.resolve import Resolver
    from afterburner.agent.rules.analysis.tree import Edits, Tree


@dataclass(frozen=True, slots=True)
class Slice:
    """A stretch of a sequence. `by_index` if it is read index by index: one that is missing is an error then."""

    sequence: cst.BaseExpression
    low: cst.BaseExpression | None
    high: cst.BaseExpression | None
    by_index: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """An expression on a slice: `sum`, `max` or `min` of it, or whether it `has` an item."""

    expression: cst.Call | cst.Comparison
    kind: str
    stretch: Slice
    place: cst.BaseStatement  # before the loops that leave the sequence as it is
    named_by: cst.SimpleStatementLine | None  # `window = xs[i:i + k]`

    @property
    def by_index(self) -> bool:
        """Whether the elements are read one by one."""
        return self.stretch.by_index

    @property
    def values(self) -> str:
        """Write the sequence."""
        return text(self.stretch.sequence)

    def replacement(self, table: str) -> cst.BaseExpression:
        """Write the look-up in the table."""
        low = text(self.stretch.low) if self.stretch.low else "0"
        bounds = f"{low}, {text(self.stretch.high) if self.stretch.high else f'len({self.values})'}"
        if isinstance(self.expression, cst.Call):
            return cst.parse_expression(f"{table}({bounds})")
        found = f"{table}({text(self.expression.left)}, {bounds})"
        is_negated = isinstance(self.expression.comparisons[0].operator, cst.NotIn)
        look_up = cst.parse_expression(f"not {found}" if is_negated else found)
        return look_up.with_changes(lpar=self.expression.lpar, rpar=self.expression.rpar)


class WindowFinder:
    """Looks through one scope."""

    def __init__(self, tree: Tree, effects: Effects, resolver: Resolver) -> None:
        self._tree, self._effects, self._resolver = tree, effects, resolver

    def find(self) -> list[Window]:
        """Give every expression on a slice of something that a loop around it does not change."""
        return [window for node in walk(self._tree.scope) if (window := self._window(node)) is not None]

    def _window(self, node: cst.CSTNode) -> Window | None:
        operation = self._operation(node)
        if operation is None or not isinstance(node, cst.Call | cst.Comparison):
            return None
        kind, values = operation
        named_by = self._naming(values, node) if isinstance(values, cst.Name) else None
        stretch = self._stretch(_assigned(named_by) if named_by else values)
        if stretch is None or (kind == "has" and stretch.by_index):
            return None
        if not all(bound is None or self._effects.is_pure(bound) for bound in (stretch.low, stretch.high)):
            return None
        region = outermost_stable(self._tree, node, stretch.sequence, self._effects)
        place = statement_before(self._tree, region) if region else None
        return Window(node, kind, stretch, place, named_by) if place is not None else None

    def _operation(self, node: cst.CSTNode) -> tuple[str, cst.BaseExpression] | None:
        """Give what is done with what: `sum(x)`, `max(x)`, `min(x)` or `item in x`."""
        if isinstance(node, cst.Comparison):
            operator = node.comparisons[0].operator
            is_membership = len(node.comparisons) == 1 and isinstance(operator, cst.In | cst.NotIn)
            return ("has", node.comparisons[0].comparator) if is_membership else None
        if not isinstance(node, cst.Call) or len(node.args) != 1 or node.args[0].star or node.args[0].keyword:
            return None
        kind = next((name for name in ("sum", "max", "min") if self._resolver.is_call(node, f"builtins.{name}")), None)
        return (kind, node.args[0].value) if kind else None

    def _stretch(self, node: cst.BaseExpression | None) -> Slice | None:
        if isinstance(node, cst.Subscript):
            part = node.slice[0].slice if len(node.slice) == 1 else None
            if isinstance(part, cst.Slice) and part.step is None and path_of(node.value) is not None:
                return Slice(node.value, part.lower, part.upper)
        if isinstance(node, cst.GeneratorExp | cst.ListComp):
            return self._indexed(node)
        return None

    def _indexed(self, node: cst.GeneratorExp | cst.ListComp) -> Slice | None:
        """Read `xs[j] for j in range(low, high)`."""
        loop, item = node.for_in, node.elt
        if loop.ifs or loop.inner_for_in or loop.asynchronous or not isinstance(item, cst.Subscript):
            return None
        counted = loop.iter
        if not isinstance(counted, cst.Call) or not self._resolver.is_call(counted, "builtins.range"):
            return None
        index = item.slice[0].slice if len(item.slice) == 1 else None
        if not isinstance(index, cst.Index) or not isinstance(loop.target, cst.Name) or path_of(item.value) is None:
            return None
        if text(index.value) != loop.target.value or any(arg.star or arg.keyword for arg in counted.args):
            return None
        if not 1 <= len(counted.args) <= 2:
            return None
        low = counted.args[0].value if len(counted.args) == 2 else None
        return Slice(item.value, low, counted.args[-1].value, by_index=True)

    def _naming(self, name: cst.Name, node: cst.CSTNode) -> cst.SimpleStatementLine | None:
        """Give the line that assigns the slice to a name, if it is above in the same block, and still holds."""
        owner = self._tree.function(node)
        values = list(assigned_values(owner, name.value))
        if len(values) != 1 or names_in(owner).binds[name.value] != 1 or not isinstance(values[0], cst.Subscript):
            return None
        line = self._tree.line(values[0])
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1 or _assigned(line) is None:
            return None
        block = self._tree.block(line)
        below = list(block[next(place for place, each in enumerate(block) if each is line) + 1 :])
        if not any(self._tree.within(node, each) for each in below):
            return None
        changes = self._effects.changes(*below)
        return line if all(self._effects.is_stable(each, changes) for each in (values[0], name)) else None


def _assigned(line: cst.SimpleStatementLine) -> cst.BaseExpression | None:
    small = line.body[0]
    return small.value if isinstance(small, cst.Assign) and len(small.targets) == 1 else None


def unneeded_slices(windows: Iterable[Window], edits: Edits, tree: Tree) -> Iterator[cst.SimpleStatementLine]:
    """Give the lines that only named slices of which nothing is left, and that nobody commented on."""
    replaced: dict[cst.SimpleStatementLine, int] = {}
    for window in windows:
        if window.named_by is not None and edits.touches(window.expression):
            replaced[window.named_by] = replaced.get(window.named_by, 0) + 1
    for line, times in replaced.items():
        [name] = names_in(line).binds
        if line.trailing_whitespace.comment or any(each.comment for each in line.leading_lines):
            continue
        if names_in(tree.function(line)).reads[name] == times:
            yield line

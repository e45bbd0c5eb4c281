"""A string that grows piece by piece in loops becomes a list of pieces, joined once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.edits import leaves_block, small_statement
from afterburner.agent.rules.analysis.free_names import text
from afterburner.agent.rules.analysis.scope import Analysis, Region
from afterburner.agent.rules.analysis.tree import Edits
from afterburner.agent.rules.analysis.uses import Kind, Use
from afterburner.agent.rules.analysis.value_types import Types
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_EMPTY = {"str": '""', "bytes": 'b""'}


class JoinStrings:
    r"""Collect pieces in a list and join them, instead of copying a growing string.

    Before::

        text = "name,total\n"
        for row in rows:
            text = text + row.name + ","
            text += str(row.total)
        return text

    After::

        text_parts = ["name,total\n"]
        for row in rows:
            text_parts.extend((row.name, ","))
            text_parts.append(str(row.total))
        return "".join(text_parts)
    """

    name = "join-strings"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every local string that only grows between its start and its first use."""
        analysis = Analysis(rule_input)
        types, edits = Types(analysis), Edits()
        for region in analysis.regions():
            for name in analysis.variables(region):
                text_type = types.name(cst.Name(name), region)
                if text_type in _EMPTY:
                    _Text(analysis, types, region, name, _EMPTY[text_type]).rewrite(edits)
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


_Growing = cst.Assign | cst.AnnAssign | cst.AugAssign


@dataclass(frozen=True, slots=True)
class _Growth:
    """One statement that makes the string longer, at its end or at its front."""

    statement: _Growing
    pieces: tuple[cst.BaseExpression, ...]
    is_front: bool = False


@dataclass(frozen=True, slots=True)
class _Segment:
    """Statements of one block, from where the string starts to where it stops growing."""

    lines: Sequence[cst.BaseStatement]
    start: cst.Assign | cst.AnnAssign | None  # the first line, if that binds a new string
    following: cst.BaseStatement | None


def _read_growth(statement: _Growing, name: str) -> _Growth | None:
    """Read `s += x`, `s = s + x + y`, `s = x + s` and `s = f"{s}…"`."""
    value = statement.value
    if isinstance(statement, cst.AugAssign):
        return _Growth(statement, (statement.value,)) if isinstance(statement.operator, cst.AddAssign) else None
    if isinstance(value, cst.FormattedString):
        first = value.parts[0] if value.parts else None
        is_plain = isinstance(first, cst.FormattedStringExpression) and text(first).replace(" ", "") == f"{{{name}}}"
        return _Growth(statement, (value.with_changes(parts=value.parts[1:]),)) if is_plain else None
    pieces: list[cst.BaseExpression] = []
    while isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Add):
        if not pieces and _is_name(value.right, name):
            return _Growth(statement, (value.left,), is_front=True)
        pieces.insert(0, value.right)
        value = value.left
    return _Growth(statement, tuple(pieces)) if pieces and _is_name(value, name) else None


def _is_name(node: cst.BaseExpression | None, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


class _Text:
    """A local variable that is always a string."""

    def __init__(self, analysis: Analysis, types: Types, region: Region, name: str, empty: str) -> None:
        self._analysis, self._types, self._region, self._name = analysis, types, region, name
        self._empty = empty
        self._uses = analysis.uses(name, region)
        found = ((use, self._growth(use)) for use in self._uses)
        self._growths = {use.name: growth for use, growth in found if growth is not None}
        # The string on the right of `s = s + x` belongs to the growth, it is not looked at otherwise.
        statements = {growth.statement for growth in self._growths.values()}
        self._own = {use.name for use in self._uses if small_statement(analysis.tree, use.name) in statements}

    def rewrite(self, edits: Edits) -> None:
        """Change each part of the function in which the string grows in a loop."""
        if any(use.kind is Kind.CAPTURED for use in self._uses):
            return
        done: set[cst.BaseStatement] = set()
        for growth in self._growths.values():
            loops = self._loops(growth)
            line = self._analysis.tree.line(loops[-1]) if loops else None
            if line is None or line in done:
                continue
            segment = self._segment(line)
            if segment is not None and done.isdisjoint(segment.lines) and self._fits(segment):
                done.update(segment.lines)
                self._change(segment, edits)

    def _growth(self, use: Use) -> _Growth | None:
        statement, value = use.holder, use.value
        if use.kind not in {Kind.BIND, Kind.AUGMENT} or value is None or isinstance(value, cst.Yield):
            return None
        mentions = self._analysis.names(value).reads[self._name]
        if not isinstance(statement, _Growing) or mentions != (use.kind is Kind.BIND):
            return None
        return _read_growth(statement, self._name)

    def _loops(self, growth: _Growth) -> list[cst.CSTNode]:
        """Give the loops around a growth in which the string does not start anew, from the inside out."""
        tree = self._analysis.tree
        loops: list[cst.CSTNode] = []
        starts = [
            use.holder for use in self._uses if use.kind in {Kind.BIND, Kind.REBIND} and use.name not in self._growths
        ]
        for loop in tree.loops(growth.statement):
            if any(self._analysis.within(start, loop) for start in starts):
                break
            loops.append(loop)
        return loops

    def _segment(self, loop: cst.BaseStatement) -> _Segment | None:
        """Extend from a loop, up to where the string starts and down as long as it only grows."""
        block = self._analysis.tree.block(loop)
        if loop not in block:
            return None
        first = last = block.index(loop)
        start = None
        for place in range(first - 1, -1, -1):
            start = self._start(block[place])
            if start is not None:
                first = place
                break
            if not self._only_grows(block[place]):
                break
        for place in range(last + 1, len(block)):
            if not self._only_grows(block[place]):
                break
            if self._grows(block[place]):
                last = place
        following = block[last + 1] if last + 1 < len(block) else None
        return _Segment(block[first : last + 1], start, following)

    def _start(self, line: cst.BaseStatement) -> cst.Assign | cst.AnnAssign | None:
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
            return None
        [small] = line.body
        if any(use.holder is small and use.kind is Kind.BIND for use in self._uses) and isinstance(
            small, cst.Assign | cst.AnnAssign
        ):
            is_growth = any(growth.statement is small for growth in self._growths.values())
            return small if not is_growth and self._types.name(small.value, self._region) in _EMPTY else None
        return None

    def _within(self, *nodes: cst.CSTNode) -> list[Use]:
        return [use for use in self._uses if any(self._analysis.within(use.name, node) for node in nodes)]

    def _grows(self, line: cst.BaseStatement) -> bool:
        return any(use.name in self._growths for use in self._within(line))

    def _only_grows(self, line: cst.BaseStatement) -> bool:
        """Tell whether the string is not looked at in a statement, except where a loop in it returns it."""
        at_end = isinstance(line, cst.SimpleStatementLine)
        return all(use.name in self._own or (not at_end and self._is_returned(use)) for use in self._within(line))

    def _is_returned(self, use: Use) -> bool:
        return isinstance(small_statement(self._analysis.tree, use.name), cst.Return) and use.kind is not Kind.CAPTURED

    def _fits(self, segment: _Segment) -> bool:
        lines = segment.lines[1:] if segment.start else segment.lines
        growths = [self._growths[use.name] for use in self._within(*lines) if use.name in self._growths]
        if len({growth.is_front for growth in growths}) != 1 or not all(map(self._only_grows, lines)):
            return False
        if any(leaves_block(self._analysis.tree, line) for line in lines):
            return False
        pieces = [piece for growth in growths for piece in growth.pieces]
        kinds = {self._types.name(piece, self._region) for piece in pieces}
        wanted = "bytes" if self._empty.startswith("b") else "str"
        return kinds <= {None, wanted} and self._is_unseen_by_handlers(segment, growths, wanted)

    def _is_unseen_by_handlers(self, segment: _Segment, growths: Sequence[_Growth], wanted: str) -> bool:
        """Tell whether no `except` sees the string half grown, or the error of a piece that is no string."""
        tree = self._analysis.tree
        for ancestor in tree.ancestors(segment.lines[0]):
            if isinstance(ancestor, cst.Try | cst.TryStar) and any(
                not self._analysis.within(use.name, ancestor.body) for use in self._uses
            ):
                return False
        return all(
            self._types.name(piece, self._region) == wanted
            for growth in growths
            if any(isinstance(ancestor, cst.Try | cst.TryStar) for ancestor in tree.ancestors(growth.statement))
            for piece in growth.pieces
        )

    def _change(self, segment: _Segment, edits: Edits) -> None:
        parts = self._analysis.fresh(f"{self._name}_parts", self._region)
        inside = self._within(*segment.lines)
        growths = [self._growths[use.name] for use in inside if use.name in self._growths]
        order = f"reversed({parts})" if growths[0].is_front else parts
        joined = cst.parse_expression(f"{self._empty}.join({order})")
        if segment.start is not None and segment.start.value is not None:
            first = text(segment.start.value)
            is_empty = first.lstrip("rRbBuU") in {'""', "''"}
            new = cst.parse_expression("[]" if is_empty else f"[{first}]")
            edits.replace(segment.start, cst.Assign([cst.AssignTarget(cst.Name(parts))], new))
        else:
            edits.insert_before(segment.lines[0], f"{parts} = [{self._name}]")
        for growth in growths:
            edits.change(growth.statement, _appending(parts, self._name))
        for use in inside:
            if use.name not in self._own and use.holder is not segment.start:
                edits.replace(use.name, joined.deep_clone())
        self._finish(segment, inside, joined, edits)

    def _finish(self, segment: _Segment, inside: Sequence[Use], joined: cst.BaseExpression, edits: Edits) -> None:
        """Join where the string is returned right away, or else after the segment."""
        outside = [use for use in self._uses if use not in inside]
        analysis, following = self._analysis, segment.following
        if not outside:
            return
        use = outside[0]
        is_read = use.kind not in {Kind.BIND, Kind.AUGMENT, Kind.REBIND}
        if len(outside) == 1 and is_read and isinstance(following, cst.SimpleStatementLine):
            is_once = len(analysis.repeats(use.name)) == len(analysis.repeats(following))
            if is_once and self._analysis.within(use.name, following):
                edits.replace(use.name, joined.deep_clone())
                return
        edits.insert_after(segment.lines[-1], f"{self._name} = {text(joined)}")


def _appending(parts: str, name: str) -> Callable[[_Growing], cst.CSTNode]:
    def change(statement: _Growing) -> cst.CSTNode:
        growth = _read_growth(statement, name)
        if growth is None:  # cannot be: what is changed inside a growth leaves its form
            return statement
        if len(growth.pieces) == 1:
            return cst.Expr(cst.parse_expression(f"{parts}.append({text(growth.pieces[0])})"))
        written = ", ".join(text(piece) for piece in growth.pieces)
        return cst.Expr(cst.parse_expression(f"{parts}.extend(({written}))"))

    return change

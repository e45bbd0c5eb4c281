"""Lists that are gone through once are never made: their elements come one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.edits import as_generator, first_argument, imported_name
from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.free_names import text
from afterburner.agent.rules.analysis.scope import Analysis, Region
from afterburner.agent.rules.analysis.stream_variables import (
    Stream,
    can_stream,
    find_stream,
    is_readlines,
    lazy,
    leaves_early,
    skipped,
)
from afterburner.agent.rules.analysis.tree import Edits, walk
from afterburner.agent.rules.analysis.uses import Kind, consumes
from afterburner.agent.rules.analysis.value_types import Types
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Callable

# Take less memory, or time, when they are given a generator; `join` makes a list of it anyway, `any` may stop early.
_NOT_STREAMED = ("builtins.any", "builtins.all", "builtins.list")


class StreamLists:
    """Pass elements one by one to code that reads them once, instead of building a list.

    Before::

        with open(path) as file:
            rows = [parse(line) for line in file.readlines()]
        total = 0
        for row in rows:
            total += row.amount

    After::

        with open(path) as file:
            rows = (parse(line) for line in file)
            total = 0
            for row in rows:
                total += row.amount
    """

    name = "generator"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every list that only one loop, or one call like `sum`, goes through."""
        analysis = Analysis(rule_input)
        plan = _Plan(analysis)
        for region in analysis.regions():
            plan.stream_variables(region)
            plan.stream_in_place(region)
        plan.move_into_files()
        if not plan.edits:
            return None
        return RuleOutput(plan.edits.apply(rule_input.scope), tuple(sorted(plan.imports)))


class _Plan:
    """What becomes of the lists of one scope."""

    def __init__(self, analysis: Analysis) -> None:
        self.edits = Edits()
        self.imports: set[str] = set()
        self._analysis, self._types = analysis, Types(analysis)
        self._files: dict[cst.With, cst.BaseStatement] = {}  # to the last statement that moves into it

    def stream_variables(self, region: Region) -> None:
        """Plan for lists with a name; from the last one up, since one may be made of another."""
        analysis, effects = self._analysis, Effects(self._analysis.resolver, region)
        ends: dict[cst.BaseStatement, cst.BaseStatement] = {}
        for name in reversed(analysis.variables(region)):
            stream = find_stream(analysis, self._types, name, region, ends)
            if stream is None or not can_stream(analysis, effects, stream) or not self._slice(stream):
                continue
            value = stream.bind.value
            change = lazy(analysis, value) if value is not None else None
            line = analysis.tree.line(stream.bind.name)
            if value is None or change is None or line is None:
                continue
            self.edits.change(value, change)
            ends[line] = stream.end
            if stream.file is not None:
                ends[stream.file] = stream.end
                self._extend(stream.file, stream.end)

    def stream_in_place(self, region: Region) -> None:
        """Plan for lists without a name, in a call or at the head of a loop."""
        analysis = self._analysis
        for call in analysis.find(cst.Call):
            if analysis.region_of(call) is not region or self.edits.touches(call):
                continue
            argument = call.args[0].value if call.args else None
            if isinstance(argument, cst.ListComp) and _is_plain(argument):
                self._stream_argument(call, argument)
            elif is_readlines(call) and self._is_read_once(call, region):
                change = lazy(analysis, call)
                if change is not None:
                    self.edits.change(call, change)
        for loop in analysis.find(cst.For):
            if isinstance(loop.iter, cst.ListComp) and analysis.region_of(loop) is region:
                self._stream_head(loop, loop.iter, region)

    def move_into_files(self) -> None:
        """Put the statements that use up a stream into the `with` that keeps its file open."""
        tree = self._analysis.tree
        for file, end in self._files.items():
            block = list(tree.block(file))
            first, last = block.index(file), block.index(end)
            if last > first:
                self.edits.change(tree.parents[file], _absorbing(first, last))

    def _slice(self, stream: Stream) -> bool:
        """Plan for `rows[1:]` where the stream is gone through."""
        if stream.read.kind is not Kind.SLICE:
            return True
        found = imported_name(self._analysis.resolver, "itertools", "islice")
        if found is None or (isinstance(stream.bind.value, cst.Call) and not is_readlines(stream.bind.value)):
            return False
        spelled, imports = found
        self.imports.update(imports)
        written = f"{spelled}({stream.read.name.value}, {skipped(stream.read.holder)}, None)"
        self.edits.replace(stream.read.holder, cst.parse_expression(written))
        return True

    def _extend(self, file: cst.With, end: cst.BaseStatement) -> None:
        known = self._files.get(file)
        if known is None or self._analysis.before(known, end):
            self._files[file] = end

    def _stream_argument(self, call: cst.Call, argument: cst.ListComp) -> None:
        """`sum([…])` → `sum(…)`, `len([…])` → `sum(1 …)`."""
        resolver = self._analysis.resolver
        alone = first_argument(call) is not None
        if resolver.is_call(call, "builtins.len") and alone and resolver.spelled("builtins.sum"):
            self.edits.change(call, _count)
        elif consumes(resolver, call) and not resolver.is_call(call, *_NOT_STREAMED):
            is_method = resolver.qualified(call.func) is None  # `",".join([…])`
            several = [arg for arg in call.args if arg.keyword is None]
            if not is_method and not (len(several) > 1 and resolver.is_call(call, "builtins.min", "builtins.max")):
                self.edits.change(argument, lambda new: _bare(as_generator(new)) if alone else as_generator(new))

    def _stream_head(self, loop: cst.For, head: cst.ListComp, region: Region) -> None:
        """`for x in […]`: nothing may change, while the loop runs, what the elements are made of."""
        effects = Effects(self._analysis.resolver, region)
        if loop.asynchronous is not None or leaves_early(loop) or self._analysis.yields(loop) or not _is_plain(head):
            return
        if effects.is_pure(head) and effects.is_stable(head, effects.changes(loop.body, loop.target)):
            self.edits.change(head, as_generator)

    def _is_read_once(self, call: cst.Call, region: Region) -> bool:
        """Tell whether a loop goes through the lines, and nothing else uses the file from there on."""
        analysis, place = self._analysis, self._analysis.tree.parents[call]
        if not isinstance(call.func, cst.Attribute) or not isinstance(place, cst.For | cst.CompFor):
            return False
        if place.iter is not call or place.asynchronous is not None:
            return False
        file = call.func.value
        if isinstance(place, cst.CompFor):
            around = next(each for each in analysis.tree.ancestors(place) if not isinstance(each, cst.CompFor))
            if isinstance(around, cst.GeneratorExp) and not analysis.is_eager(around):
                return False
        if isinstance(file, cst.Name) and analysis.names(region).binds[file.value]:
            later = [node for node in analysis.occurrences(file.value, region) if analysis.before(file, node)]
            return not later and not analysis.repeats(call)
        if analysis.resolver.qualified(file) == "sys.stdin":
            others = [each for each in analysis.find(cst.Attribute) if analysis.resolver.qualified(each) == "sys.stdin"]
            return len(others) == 1 and not analysis.occurrences("input", self._analysis.scope)
        return isinstance(file, cst.Call) and analysis.resolver.is_call(file, "builtins.open")


def _is_plain(comprehension: cst.ListComp) -> bool:
    """Tell whether a generator would give the same elements: nothing is awaited or bound inside."""
    return not any(
        isinstance(node, cst.Await | cst.Yield | cst.NamedExpr)
        or (isinstance(node, cst.CompFor) and node.asynchronous is not None)
        for node in walk(comprehension)
    )


def _bare(generator: cst.GeneratorExp) -> cst.GeneratorExp:
    """Leave out the brackets that the only argument of a call does not need, if it is on one line."""
    return generator.with_changes(lpar=[], rpar=[]) if "\n" not in text(generator) else generator


def _count(call: cst.Call) -> cst.Call:
    argument = call.args[0].value
    if not isinstance(argument, cst.ListComp):
        return call
    ones = _bare(as_generator(argument.with_changes(elt=cst.Integer("1"))))
    return call.with_changes(func=cst.Name("sum"), args=[cst.Arg(ones)])


def _absorbing(first: int, last: int) -> Callable[[cst.CSTNode], cst.CSTNode]:
    """Make what moves the statements behind a `with`, up to the last one, to the end of its block."""

    def change(block: cst.CSTNode) -> cst.CSTNode:
        if not isinstance(block, cst.IndentedBlock | cst.Module):
            return block
        file = block.body[first]
        if not isinstance(file, cst.With) or not isinstance(file.body, cst.IndentedBlock):
            return block
        body = file.body.with_changes(body=[*file.body.body, *block.body[first + 1 : last + 1]])
        return block.with_changes(body=[*block.body[:first], file.with_changes(body=body), *block.body[last + 1 :]])

    return change

"""Variables that hold a list which is gone through once: where it is made, and where it was used up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.edits import as_generator, first_argument
from afterburner.agent.rules.analysis.free_names import text
from afterburner.agent.rules.analysis.shapes import assigned_values, may_be_iterator
from afterburner.agent.rules.analysis.tree import walk
from afterburner.agent.rules.analysis.uses import Kind, Use

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.rules.analysis.effects import Effects
    from afterburner.agent.rules.analysis.scope import Analysis, Region
    from afterburner.agent.rules.analysis.value_types import Types

READERS = ("csv.reader", "csv.DictReader", "io.StringIO")
_ITERATORS = ("builtins.zip", "builtins.enumerate", "builtins.range", "builtins.reversed", *READERS)
_SHORT_CIRCUIT = ("builtins.any", "builtins.all")


@dataclass(frozen=True, slots=True)
class Stream:
    """A variable whose list can be replaced by something that gives the elements one by one.

    `between` is what runs from the making of the list to its last element. `file` is the `with open(…)` that the list
    is made in; what stands behind it, down to `end`, has to move into it.
    """

    bind: Use
    read: Use
    between: Sequence[cst.BaseStatement]
    end: cst.BaseStatement
    file: cst.With | None


def find_stream(
    analysis: Analysis, types: Types, name: str, region: Region, ends: dict[cst.BaseStatement, cst.BaseStatement]
) -> Stream | None:
    """Read a variable that is bound once and used once, further down in the same block; None if it is another one.

    `ends` tells for the lines of streams that were found already where those end.
    """
    uses = analysis.uses(name, region)
    if len(uses) != 2 or uses[0].kind is not Kind.BIND or not isinstance(uses[0].holder, cst.Assign):
        return None
    bind, read = uses
    line = analysis.tree.line(bind.name)
    if line is None or text(bind.holder) != text(line) or not is_gone_through(analysis, read, ends):
        return None
    if len(analysis.repeats(bind.name)) != len(analysis.repeats(read.name)):
        return None
    file = _file_around(analysis, types, line, region)
    starts = [line, *([file] if file is not None else [])]
    for start in starts:
        block = list(analysis.tree.block(start))
        end = next((each for each in block if analysis.within(read.name, each)), None)
        if end is None or start not in block:
            continue
        last = max(block.index(end), block.index(ends.get(end, end)))
        between = block[block.index(start) + 1 : last + 1]
        if start is file:
            own = list(analysis.tree.block(line))
            return Stream(bind, read, [*own[own.index(line) + 1 :], *between], block[last], file)
        return Stream(bind, read, between, block[last], None)
    return None


def can_stream(analysis: Analysis, effects: Effects, stream: Stream) -> bool:
    """Tell whether the elements are the same, and nothing else is noticed, when they are made one by one."""
    value = stream.bind.value
    if value is None or lazy(analysis, value) is None or any(map(analysis.yields, stream.between)):
        return False
    reads_file = False
    for node in walk(value):
        if isinstance(node, cst.NamedExpr | cst.Await | cst.Yield):
            return False
        if isinstance(node, cst.Call) and not effects.is_pure_call(node):
            if not is_readlines(node) and not analysis.resolver.is_call(node, *READERS):
                return False
            reads_file = True
    reads_file = reads_file or _iterator_of(analysis, value) is not None
    names = {name for name in analysis.names(value).reads if name not in analysis.names(value).binds}
    if reads_file and any(uses_standard_input(analysis, line) for line in stream.between):
        return False
    if reads_file and any(
        _is_shared_file(analysis, name, stream) for name in names if analysis.resolver.qualified(cst.Name(name)) is None
    ):
        return False
    return effects.is_stable(value, effects.changes(*stream.between))


def lazy(analysis: Analysis, value: cst.BaseExpression) -> Callable[[cst.BaseExpression], cst.BaseExpression] | None:
    """Give what turns a list into something that gives its elements one by one."""
    if isinstance(value, cst.ListComp):
        return _generator
    if is_readlines(value):
        return _file
    inner = first_argument(value) if isinstance(value, cst.Call) else None
    if inner is None or not analysis.resolver.is_call(value, "builtins.list", "builtins.tuple"):
        return None
    is_iterator = isinstance(inner, cst.GeneratorExp) or analysis.resolver.is_call(inner, *_ITERATORS)
    is_iterator = is_iterator or _iterator_of(analysis, value) is not None
    return _argument if is_iterator else None


def _iterator_of(analysis: Analysis, value: cst.BaseExpression) -> cst.Name | None:
    """Give the variable of `list(reader)` that holds an iterator, whatever it was bound to."""
    inner = first_argument(value) if isinstance(value, cst.Call) else None
    if not isinstance(inner, cst.Name):
        return None
    region = analysis.region_of(inner)
    sources = list(assigned_values(region, inner.value))
    are_all_known = len(sources) == analysis.names(region).binds[inner.value] == 1
    return inner if are_all_known and may_be_iterator(inner, region, analysis.resolver) else None


def _generator(value: cst.BaseExpression) -> cst.BaseExpression:
    return as_generator(value) if isinstance(value, cst.ListComp) else value


def _file(value: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute):
        return value.func.value
    return value


def _argument(value: cst.BaseExpression) -> cst.BaseExpression:
    inner = value.args[0].value if isinstance(value, cst.Call) else value
    if isinstance(inner, cst.GeneratorExp) and not inner.lpar:
        return inner.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return inner


def is_readlines(node: cst.CSTNode) -> bool:
    """Tell whether this is `file.readlines()`."""
    return (
        isinstance(node, cst.Call)
        and not node.args
        and isinstance(node.func, cst.Attribute)
        and node.func.attr.value == "readlines"
    )


def uses_standard_input(analysis: Analysis, node: cst.CSTNode) -> bool:
    """Tell whether a piece of code reads standard input, or may."""
    found = {analysis.resolver.qualified(each) for each in walk(node) if isinstance(each, cst.Name | cst.Attribute)}
    return bool(found & {"sys.stdin", "builtins.input", "fileinput.input"})


def leaves_early(loop: cst.For) -> bool:
    """Tell whether a loop may leave the rest of its elements alone."""
    return any(isinstance(node, cst.Break | cst.Return) for node in walk(loop.body))


def is_gone_through(analysis: Analysis, read: Use, ends: dict[cst.BaseStatement, cst.BaseStatement]) -> bool:
    """Tell whether the list is taken to its end where it is used."""
    if read.kind is Kind.CONSUME:
        is_first = read.call.args[0].value is read.name
        return is_first and not analysis.resolver.is_call(read.call, *_SHORT_CIRCUIT)
    if read.kind is Kind.ITERATE:
        return _is_taken(analysis, read.name, ends)
    is_counted = read.kind is Kind.LAZY and analysis.resolver.is_call(read.holder, "builtins.enumerate")
    is_cut = read.kind is Kind.SLICE and skipped(read.holder) is not None
    return (is_counted or is_cut) and _is_taken(analysis, read.holder, ends)


def _is_taken(analysis: Analysis, place: cst.CSTNode, ends: dict[cst.BaseStatement, cst.BaseStatement]) -> bool:
    """Tell whether a loop or comprehension goes through all that stands at this place."""
    loop = analysis.tree.parents[place]
    if not isinstance(loop, cst.For | cst.CompFor) or loop.iter is not place or loop.asynchronous is not None:
        return False
    if isinstance(loop, cst.For):
        return not leaves_early(loop)
    comprehension = next(each for each in analysis.tree.ancestors(loop) if not isinstance(each, cst.CompFor))
    if not isinstance(comprehension, cst.GeneratorExp):
        return True
    return analysis.tree.line(loop) in ends or _is_summed(analysis, comprehension)


def _is_summed(analysis: Analysis, generator: cst.GeneratorExp) -> bool:
    arg = analysis.tree.parents.get(generator)
    call = analysis.tree.parents.get(arg) if isinstance(arg, cst.Arg) else None
    return (
        isinstance(call, cst.Call)
        and analysis.is_eager(generator)
        and not analysis.resolver.is_call(call, *_SHORT_CIRCUIT)
    )


def skipped(node: cst.CSTNode) -> str | None:
    """Write how many elements `rows[1:]` leaves out at the start; None for other slices."""
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
        return None
    part = node.slice[0].slice
    if isinstance(part, cst.Slice) and isinstance(part.lower, cst.Integer) and part.upper is None and part.step is None:
        return part.lower.value
    return None


def _file_around(analysis: Analysis, types: Types, line: cst.BaseStatement, region: Region) -> cst.With | None:
    """Give the `with open(…)` whose block the line belongs to."""
    parent = analysis.tree.parents.get(analysis.tree.parents[line])
    if not isinstance(parent, cst.With) or len(parent.items) != 1 or parent.asynchronous is not None:
        return None
    return parent if types.name(parent.items[0].item, region) == "file" else None


def _is_shared_file(analysis: Analysis, name: str, stream: Stream) -> bool:
    """Tell whether a file that is read line by line is also used by what runs meanwhile."""
    return bool(analysis.occurrences(name, *stream.between))

"""What a search goes through, and the larger whole that it is a part of: `range(i + 1, n)` of `range(n)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.free_names import fresh_name, names_in, operand, target_names, text
from afterburner.agent.rules.analysis.shapes import may_be_iterator
from afterburner.agent.rules.analysis.tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeGuard

    from afterburner.agent.rules.analysis.resolve import Resolver
    from afterburner.agent.rules.analysis.scan_keys import Key
    from afterburner.agent.rules.analysis.scans import Scan


@dataclass(frozen=True, slots=True)
class Space:
    """The elements that a dictionary is built from.

    `item` and `condition` pick from an entry's elements what the search itself would go through; `bounds` are the
    expressions in the condition.
    """

    everything: cst.BaseExpression
    target: str
    item: str = ""
    condition: str = ""
    bounds: tuple[cst.BaseExpression, ...] = ()


def _within(index: str, low: cst.BaseExpression | None, high: cst.BaseExpression | None) -> str:
    """Write the test that an index is within bounds."""
    parts = [] if low is None else [_at_least(index, low)]
    if high is not None:
        parts.append(f"{index} < {operand(high)}")
    return " and ".join(parts)


def _at_least(index: str, low: cst.BaseExpression) -> str:
    is_next = (
        isinstance(low, cst.BinaryOperation)
        and isinstance(low.operator, cst.Add)
        and isinstance(low.right, cst.Integer)
        and low.right.value == "1"
    )
    if is_next and isinstance(low, cst.BinaryOperation):
        return f"{index} > {operand(low.left)}"
    return f"{index} >= {operand(low)}"


def find_spaces(scan: Scan, key: Key, scope: cst.CSTNode, resolver: Resolver) -> Iterator[Space]:
    """Give what the dictionary may be built from, the exact elements first."""
    iterated, target = scan.node.iter, scan.node.target
    if not may_be_iterator(iterated, scope, resolver):
        yield Space(iterated, text(target))
    widened: Iterator[Space] = iter(())
    if isinstance(iterated, cst.Call) and resolver.is_call(iterated, "builtins.range"):
        widened = _of_range(iterated, key, text(target))
    elif isinstance(iterated, cst.Subscript):
        widened = _of_slice(iterated, text(target), names_in(scope).all)
    elif isinstance(iterated, cst.Call) and resolver.is_call(iterated, "builtins.enumerate"):
        widened = _of_enumerated_slice(iterated, target)
    for space in widened:
        if all(is_natural(bound, scope, resolver) for bound in space.bounds):
            yield space


def _of_range(call: cst.Call, key: Key, target: str) -> Iterator[Space]:
    """Widen `range(i + 1, n)` to `range(n)`, and `range(i)` to the indexes of what the key is an item of."""
    if not 1 <= len(call.args) <= 2 or any(arg.star or arg.keyword for arg in call.args):
        return
    low = call.args[0].value if len(call.args) == 2 else None
    high = call.args[-1].value
    if low is not None:
        yield Space(_parse(f"range({text(high)})"), target, target, _within(target, low, None), (low,))
    indexed = next((node.value for node in walk(key.element) if _is_item(node, target)), None)
    if indexed is not None:
        bounds = (high,) if low is None else (low, high)
        yield Space(_parse(f"range(len({text(indexed)}))"), target, target, _within(target, low, high), bounds)


def _of_slice(node: cst.Subscript, target: str, taken: set[str]) -> Iterator[Space]:
    """Widen `items[i + 1:]` to all items, with their indexes."""
    bounds = _bounds(node)
    if bounds is not None:
        index = fresh_name("index", taken)
        condition = _within(index, *bounds)
        yield Space(_parse(f"enumerate({text(node.value)})"), f"{index}, {target}", target, condition, _given(*bounds))


def _of_enumerated_slice(call: cst.Call, target: cst.BaseExpression) -> Iterator[Space]:
    """Widen `enumerate(items[i + 1:], i + 1)` to all items, with their indexes."""
    sliced = call.args[0].value if call.args else None
    bounds = _bounds(sliced) if isinstance(sliced, cst.Subscript) else None
    if bounds is None or not isinstance(sliced, cst.Subscript) or not isinstance(target, cst.Tuple):
        return
    start = text(call.args[1].value) if len(call.args) == 2 else "0"
    index = target.elements[0].value
    if start == (text(bounds[0]) if bounds[0] is not None else "0") and isinstance(index, cst.Name):
        item = text(target) if target.lpar else f"({text(target)})"
        condition = _within(index.value, *bounds)
        yield Space(_parse(f"enumerate({text(sliced.value)})"), text(target), item, condition, _given(*bounds))


def _parse(source: str) -> cst.BaseExpression:
    return cst.parse_expression(source)


def _given(*bounds: cst.BaseExpression | None) -> tuple[cst.BaseExpression, ...]:
    return tuple(bound for bound in bounds if bound is not None)


def _bounds(node: cst.Subscript) -> tuple[cst.BaseExpression | None, cst.BaseExpression | None] | None:
    part = node.slice[0].slice if len(node.slice) == 1 else None
    if not isinstance(part, cst.Slice) or part.step is not None or (part.lower is None and part.upper is None):
        return None
    return part.lower, part.upper


def _is_item(node: cst.CSTNode, index: str) -> TypeGuard[cst.Subscript]:
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1 or index in names_in(node.value).all:
        return False
    inner = node.slice[0].slice
    return isinstance(inner, cst.Index) and text(inner.value) == index


def is_natural(expression: cst.BaseExpression, scope: cst.CSTNode, resolver: Resolver) -> bool:
    """Tell whether an expression is an int that is never negative, as far as the text tells."""
    if isinstance(expression, cst.Integer) or resolver.is_call(expression, "builtins.len"):
        return True
    if isinstance(expression, cst.BinaryOperation):
        both = is_natural(expression.left, scope, resolver) and is_natural(expression.right, scope, resolver)
        return both and isinstance(expression.operator, cst.Add | cst.Multiply)
    if resolver.is_call(expression, "builtins.min", "builtins.max") and isinstance(expression, cst.Call):
        return all(is_natural(arg.value, scope, resolver) for arg in expression.args)
    if not isinstance(expression, cst.Name):
        return False
    sources = [_is_natural_source(node, expression.value, scope, resolver) for node in walk(scope)]
    told = [source for source in sources if source is not None]
    return len(told) == names_in(scope).binds[expression.value] and len(told) > 0 and all(told)


def _is_natural_source(node: cst.CSTNode, name: str, scope: cst.CSTNode, resolver: Resolver) -> bool | None:
    """Tell whether this node gives the name an int that is not negative; None if it gives the name nothing."""
    if isinstance(node, cst.For | cst.CompFor) and name in target_names(node.target):
        return _counts_up(node, name, scope, resolver)
    if isinstance(node, cst.Assign) and any(text(target.target) == name for target in node.targets):
        return name not in names_in(node.value).all and is_natural(node.value, scope, resolver)
    if isinstance(node, cst.AugAssign) and text(node.target) == name:
        return isinstance(node.operator, cst.AddAssign) and isinstance(node.value, cst.Integer)
    return None


def _counts_up(node: cst.For | cst.CompFor, name: str, scope: cst.CSTNode, resolver: Resolver) -> bool:
    """Tell whether a loop gives this name the values of a `range` or the count of an `enumerate`, from 0 or above."""
    call = node.iter
    if not isinstance(call, cst.Call) or not call.args:
        return False
    if resolver.is_call(call, "builtins.range"):
        starts = [call.args[0].value] if len(call.args) > 1 else []
        steps = all(isinstance(arg.value, cst.Integer) for arg in call.args[2:])
        own = any(name in names_in(start).all for start in starts)
        return steps and not own and all(is_natural(start, scope, resolver) for start in starts)
    first = node.target.elements[0].value if isinstance(node.target, cst.Tuple) else None
    started = all(isinstance(arg.value, cst.Integer) for arg in call.args[1:])
    return started and resolver.is_call(call, "builtins.enumerate") and first is not None and text(first) == name

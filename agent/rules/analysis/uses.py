"""How a variable is used at one place of a function."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

if TYPE_CHECKING:
    from afterburner.agent.rules.analysis.resolve import Resolver
    from afterburner.agent.rules.analysis.tree import Tree

# Take an iterable to its end, at once, and keep nothing of it but its elements.
CONSUMERS = frozenset((
    "all", "any", "bytearray", "bytes", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple",
    "collections.Counter", "collections.deque", "collections.OrderedDict", "math.fsum", "math.prod",
    "statistics.fmean", "statistics.mean", "statistics.median",
))  # fmt: skip
_LAZY = frozenset(("enumerate", "filter", "iter", "map", "reversed", "zip"))  # go through it later
_LOOKS = frozenset(("bool", "format", "id", "isinstance", "print", "repr", "str", "type"))


class Kind(StrEnum):
    """How a variable is used at one place."""

    BIND = "bind"  # `x = value`, or `x, y = value, other`
    REBIND = "rebind"  # bound in any other way: loop target, parameter, unpacking, walrus, `del x`
    AUGMENT = "augment"  # `x += value`
    METHOD = "method"  # `x.method(…)`
    LENGTH = "length"  # `len(x)`
    TRUTH = "truth"  # only asked whether it is empty: `while x`, `not x`
    MEMBER = "member"  # `y in x`
    ITERATE = "iterate"  # `for y in x`, in a statement or a comprehension
    INDEX = "index"  # `x[i]` is read
    SLICE = "slice"  # `x[a:b]` is read
    STORE_ITEM = "store item"  # `x[i]` is assigned, changed or deleted
    CONSUME = "consume"  # `sum(x)`, `",".join(x)`: gone through at once, nothing is kept
    LAZY = "lazy"  # `zip(x)`, `enumerate(x)`
    LOOK = "look"  # `print(x)`, an f-string, `x == y`: its value is looked at
    ADD = "add"  # `x + y`, `x * 2`: a new object is made of it
    SPREAD = "spread"  # `*x`, `**x`
    RETURN = "return"  # somewhere in what a `return` gives
    CAPTURED = "captured"  # in a nested function, lambda or class
    OTHER = "other"  # anything else: it may get another name there


class Use(NamedTuple):
    """One place where a variable stands.

    `holder` is the node that tells the kind: the call of METHOD, CONSUME and the like, the statement of BIND and
    AUGMENT, the comparison, the loop. `value` is what BIND and AUGMENT bind or add.
    """

    name: cst.Name
    kind: Kind
    holder: cst.CSTNode
    value: cst.BaseExpression | None = None
    method: str = ""

    @property
    def call(self) -> cst.Call:
        """The call of a METHOD, CONSUME, LENGTH, LAZY or LOOK use."""
        if not isinstance(self.holder, cst.Call):
            raise TypeError(f"{self.kind} is no call")
        return self.holder


def is_label(tree: Tree, node: cst.Name) -> bool:
    """Tell whether a name spells an attribute, a keyword or part of an import, and is no variable."""
    parent = tree.parents.get(node)
    if isinstance(parent, cst.Attribute):
        return parent.attr is node or isinstance(tree.parents.get(parent), cst.ImportAlias | cst.ImportFrom)
    if isinstance(parent, cst.Arg):
        return parent.keyword is node
    if isinstance(parent, cst.MatchKeywordElement):
        return parent.key is node
    return isinstance(parent, cst.ImportFrom)


def consumes(resolver: Resolver, call: cst.Call) -> bool:
    """Tell whether a call goes through its arguments at once and keeps nothing of them."""
    if isinstance(call.func, cst.Attribute) and call.func.attr.value == "join":
        return True
    return (resolver.qualified(call.func) or "").removeprefix("builtins.") in CONSUMERS


def is_truth_test(tree: Tree, node: cst.CSTNode) -> bool:
    """Tell whether only the truth of the expression matters."""
    parent = tree.parents.get(node)
    if isinstance(parent, cst.UnaryOperation):
        return isinstance(parent.operator, cst.Not)
    if isinstance(parent, cst.BooleanOperation):
        return is_truth_test(tree, parent)
    if isinstance(parent, cst.If | cst.While | cst.IfExp | cst.Assert | cst.CompIf):
        return parent.test is node
    return False


def use_of(tree: Tree, resolver: Resolver, node: cst.Name, region: cst.CSTNode, *, is_shadowed: bool) -> Use:
    """Tell how a variable of the region is used at this place; `is_shadowed`: a comprehension binds the same name."""
    parent = tree.parents[node]
    if tree.function(node) is not region:
        return Use(node, Kind.CAPTURED, parent)
    if is_shadowed:
        return Use(node, Kind.OTHER, parent)
    return _as_target(tree, node, parent) or _as_value(tree, resolver, node, parent)


def _as_target(tree: Tree, node: cst.Name, parent: cst.CSTNode) -> Use | None:
    if isinstance(parent, cst.AssignTarget):
        assign = tree.parents[parent]
        if isinstance(assign, cst.Assign) and len(assign.targets) == 1:
            return Use(node, Kind.BIND, assign, assign.value)
        return Use(node, Kind.REBIND, assign)
    if isinstance(parent, cst.AnnAssign | cst.AugAssign) and parent.target is node:
        kind = Kind.AUGMENT if isinstance(parent, cst.AugAssign) else Kind.BIND if parent.value else Kind.OTHER
        return Use(node, kind, parent, parent.value)
    if isinstance(parent, cst.Element | cst.StarredElement):
        paired = _paired(tree, parent)
        if paired is not None:
            return Use(node, Kind.BIND, *paired)
        is_bound = is_stored(tree, parent)
    elif isinstance(parent, cst.Del | cst.NamedExpr | cst.For | cst.CompFor):
        is_bound = parent.target is node
    else:
        is_bound = isinstance(parent, cst.AsName | cst.Param) and parent.name is node
    return Use(node, Kind.REBIND, parent) if is_bound else None


def _paired(tree: Tree, element: cst.Element | cst.StarredElement) -> tuple[cst.Assign, cst.BaseExpression] | None:
    """Give the statement and the value of one name of `x, y = 1, []`."""
    names = tree.parents[element]
    target = tree.parents[names]
    assign = tree.parents.get(target) if isinstance(target, cst.AssignTarget) else None
    if not isinstance(assign, cst.Assign) or len(assign.targets) != 1 or not isinstance(names, cst.Tuple | cst.List):
        return None
    values = assign.value
    if not isinstance(values, cst.Tuple) or len(values.elements) != len(names.elements):
        return None
    if any(isinstance(each, cst.StarredElement) for each in (*names.elements, *values.elements)):
        return None
    place = next(place for place, each in enumerate(names.elements) if each is element)
    return assign, values.elements[place].value


def is_stored(tree: Tree, node: cst.CSTNode) -> bool:
    """Tell whether an element of a tuple or list is a target of an assignment or a loop."""
    below, parent = node, tree.parents.get(node)
    while isinstance(parent, cst.Tuple | cst.List | cst.Element | cst.StarredElement):
        below, parent = parent, tree.parents.get(parent)
    if isinstance(parent, cst.For | cst.CompFor | cst.Del):
        return parent.target is below
    return isinstance(parent, cst.AssignTarget | cst.AsName)


def _as_value(tree: Tree, resolver: Resolver, node: cst.Name, parent: cst.CSTNode) -> Use:
    if isinstance(parent, cst.Attribute):
        call = tree.parents.get(parent)
        if isinstance(call, cst.Call) and call.func is parent:
            return Use(node, Kind.METHOD, call, method=parent.attr.value)
    kind = _argument(tree, resolver, parent) if isinstance(parent, cst.Arg) else _plain(tree, node, parent)
    if kind is Kind.OTHER and any(isinstance(ancestor, cst.Return) for ancestor in tree.ancestors(node)):
        kind = Kind.RETURN
    return Use(node, kind, tree.parents[parent] if isinstance(parent, cst.Arg) else parent)


def _argument(tree: Tree, resolver: Resolver, arg: cst.Arg) -> Kind:
    call = tree.parents.get(arg)
    if not isinstance(call, cst.Call):
        return Kind.OTHER
    builtin = (resolver.qualified(call.func) or "").removeprefix("builtins.")
    table = {"len": Kind.LENGTH, **dict.fromkeys(_LAZY, Kind.LAZY), **dict.fromkeys(_LOOKS, Kind.LOOK)}
    if arg.star:
        return Kind.SPREAD
    if arg.keyword is None and (consumes(resolver, call) and not _is_compared(builtin, call)):
        return Kind.CONSUME
    return table.get(builtin, Kind.OTHER)


def _is_compared(builtin: str, call: cst.Call) -> bool:
    """Tell whether `max(x, y)` compares its arguments and gives one of them."""
    return builtin in {"max", "min"} and len([arg for arg in call.args if arg.keyword is None]) > 1


def _plain(tree: Tree, node: cst.Name, parent: cst.CSTNode) -> Kind:
    match parent:
        case cst.Subscript() if parent.value is node:
            kind = _subscript(tree, parent)
        case cst.ComparisonTarget(operator=cst.In() | cst.NotIn()):
            kind = Kind.MEMBER
        case cst.For() | cst.CompFor() if parent.iter is node:
            kind = Kind.ITERATE
        case cst.StarredElement() | cst.StarredDictElement():
            kind = Kind.SPREAD
        case cst.Comparison() | cst.ComparisonTarget() | cst.FormattedStringExpression():
            kind = Kind.LOOK
        case cst.BinaryOperation():
            kind = Kind.LOOK if isinstance(parent.operator, cst.Modulo) else Kind.ADD
        case _:
            kind = Kind.TRUTH if is_truth_test(tree, node) else Kind.OTHER
    return kind


def _subscript(tree: Tree, node: cst.Subscript) -> Kind:
    above = tree.parents.get(node)
    is_target = (
        isinstance(above, cst.AssignTarget | cst.Del)
        or (isinstance(above, cst.AugAssign | cst.AnnAssign | cst.For | cst.CompFor) and above.target is node)
        or (isinstance(above, cst.Element | cst.StarredElement) and is_stored(tree, above))
    )
    if is_target:
        return Kind.STORE_ITEM
    return Kind.SLICE if any(isinstance(each.slice, cst.Slice) for each in node.slice) else Kind.INDEX

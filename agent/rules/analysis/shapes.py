"""What kind of value an expression gives, as far as the text alone tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.free_names import target_names
from afterburner.agent.rules.analysis.tree import children, walk_own

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.rules.analysis.resolve import Resolver

_PLAIN_BUILTINS = frozenset(
    ("abs", "all", "any", "bool", "bytes", "float", "frozenset", "hash", "int", "len", "range", "repr", "round", "str")
)
_MUTABLE_MAKERS = frozenset(
    (
        "builtins.bytearray", "builtins.dict", "builtins.list", "builtins.set", "builtins.sorted",
        "collections.Counter", "collections.OrderedDict", "collections.defaultdict", "collections.deque", "copy.copy",
        "copy.deepcopy", "json.loads",
    )
)  # fmt: skip
_MUTABLE_METHODS = frozenset(("copy", "findall", "rsplit", "split", "splitlines"))
_DISPLAYS = (cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp, cst.SetComp, cst.GeneratorExp, cst.Lambda)


def may_give_mutable(function: cst.FunctionDef, resolver: Resolver) -> bool:
    """Tell whether a function may return a list, dict, set or iterator that it made, alone or in a tuple."""
    return _Mutability(resolver).of_function(function)


def makes_mutable(value: cst.BaseExpression, resolver: Resolver) -> bool:
    """Tell whether evaluating an expression twice may give two different lists, dicts, sets or iterators."""
    if isinstance(value, cst.Call):
        return _Mutability(resolver).of_call(value)
    if isinstance(value, cst.IfExp):
        return makes_mutable(value.body, resolver) or makes_mutable(value.orelse, resolver)
    if isinstance(value, cst.BinaryOperation):
        return makes_mutable(value.left, resolver) or makes_mutable(value.right, resolver)
    return isinstance(value, _DISPLAYS)


class _Mutability:
    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._functions: set[cst.FunctionDef] = set()

    def of_function(self, function: cst.FunctionDef) -> bool:
        """A function that is being looked at adds nothing of its own: what recursion gives comes from elsewhere."""
        if function in self._functions:
            return False
        self._functions.add(function)
        returned = [node.value for node in walk_own(function.body) if isinstance(node, cst.Return)]
        return any(value is not None and self._of(value, function, set()) for value in returned)

    def of_call(self, call: cst.Call) -> bool:
        """Tell it of one call, whatever its arguments are."""
        return self._of_call(call, None, set())

    def _of(self, node: cst.CSTNode, function: cst.FunctionDef | None, seen: set[str]) -> bool:
        if isinstance(node, _DISPLAYS):
            return True
        if isinstance(node, cst.Comparison):
            return False
        if isinstance(node, cst.Call):
            return self._of_call(node, function, seen)
        if isinstance(node, cst.Name):
            if function is None or node.value in seen:
                return False
            seen.add(node.value)
            return any(self._of(value, function, seen) for value in assigned_values(function, node.value))
        return any(self._of(child, function, seen) for child in children(node))

    def _of_call(self, call: cst.Call, function: cst.FunctionDef | None, seen: set[str]) -> bool:
        qualified = self._resolver.qualified(call.func) or ""
        if qualified in _MUTABLE_MAKERS:
            return True
        if qualified.removeprefix("builtins.") in _PLAIN_BUILTINS:
            return False
        if not qualified and isinstance(call.func, cst.Attribute):
            return call.func.attr.value in _MUTABLE_METHODS
        if not qualified and isinstance(call.func, cst.Name):
            if self._resolver.is_record(call.func.value):
                return True
            return any(map(self.of_function, self._resolver.functions(call.func.value)))
        return any(self._of(part, function, seen) for arg in call.args for part in _contents(arg.value))


def _contents(node: cst.BaseExpression) -> Iterator[cst.CSTNode]:
    """Give what a call like `max([a, b])` or `max(f(a) for a in x)` chooses from."""
    if isinstance(node, cst.List | cst.Set | cst.Tuple):
        yield from (element.value for element in node.elements)
    elif isinstance(node, cst.ListComp | cst.SetComp | cst.GeneratorExp):
        yield node.elt
    else:
        yield node


def assigned_values(scope: cst.CSTNode, name: str) -> Iterator[cst.BaseExpression]:
    """Give the values that statements of this scope assign to a name, alone or among others."""
    for node in walk_own(scope):
        if isinstance(node, cst.Assign):
            if any(name in target_names(target.target) for target in node.targets):
                yield node.value
        elif (
            isinstance(node, cst.AnnAssign | cst.AugAssign | cst.NamedExpr)
            and name in target_names(node.target)
            and node.value is not None
        ):
            yield node.value


_ITERATOR_MAKERS = frozenset(
    (
        "builtins.enumerate", "builtins.filter", "builtins.iter", "builtins.map", "builtins.open", "builtins.reversed",
        "builtins.zip", "csv.DictReader", "csv.reader", "fileinput.input", "io.open", "os.scandir", "os.walk",
    )
)  # fmt: skip


def may_be_iterator(value: cst.BaseExpression, scope: cst.CSTNode, resolver: Resolver) -> bool:
    """Tell whether a name was given something that can be gone through only once; a call makes a new one each time."""
    if not isinstance(value, cst.Name):
        return False
    return any(_makes_iterator(source, resolver) for source in assigned_values(scope, value.value))


def _makes_iterator(value: cst.BaseExpression, resolver: Resolver) -> bool:
    if isinstance(value, cst.GeneratorExp):
        return True
    if not isinstance(value, cst.Call):
        return False
    qualified = resolver.qualified(value.func) or ""
    if isinstance(value.func, cst.Name) and not qualified:
        own = resolver.functions(value.func.value)
        return any(isinstance(node, cst.Yield) for function in own for node in walk_own(function))
    if isinstance(value.func, cst.Attribute) and value.func.attr.value == "finditer":
        return True
    return qualified.startswith("itertools.") or qualified in _ITERATOR_MAKERS

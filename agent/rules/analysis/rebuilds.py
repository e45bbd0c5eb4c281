"""Reads statements that rebuild a container to add to it, and writes how it is added to where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.edits import is_repeatable
from afterburner.agent.rules.analysis.free_names import text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.rules.analysis.resolve import Resolver
    from afterburner.agent.rules.analysis.scope import Region
    from afterburner.agent.rules.analysis.value_types import Types

Element = cst.Element | cst.StarredElement
_AGAIN = cst.Name | cst.Attribute | cst.Subscript | cst.ListComp  # no iterator that could fail half way


class Growths:
    """Reads the growing statements of one region: `name = name + …`."""

    def __init__(self, types: Types, resolver: Resolver, region: Region) -> None:
        self._types, self._resolver, self._region = types, resolver, region

    def in_place(self) -> tuple[tuple[str, Callable[[cst.CSTNode, str], str | None]], ...]:
        """Give what reads growing lists, sets and dictionaries."""
        return ("list", self.of_list), ("set", self.of_set), ("dict", self.of_dict)

    def of_list(self, statement: cst.CSTNode, name: str) -> str | None:
        """Read `x = x + [y]`, `x = [*x, y]` and `x += [y]`."""
        if isinstance(statement, cst.AugAssign):
            is_plain = isinstance(statement.operator, cst.AddAssign) and text(statement.target) == name
            added = statement.value
            is_one = is_plain and isinstance(added, cst.List) and len(added.elements) == 1
            return self._of_pieces([added], name, cst.List) if is_one else None
        value = _assigned(statement, name)
        if isinstance(value, cst.List):
            return _append(name, _after_star(value.elements, name), self._is_simple)
        return self._of_sum(value, name, cst.List)

    def of_tuple(self, statement: cst.CSTNode, name: str) -> str | None:
        """Read `x = x + (y,)`, `x += (y,)` and `x = (*x, y)`; the tuple is a list by then."""
        if isinstance(statement, cst.AugAssign):
            is_plain = isinstance(statement.operator, cst.AddAssign) and text(statement.target) == name
            return self._of_pieces([statement.value], name, cst.Tuple) if is_plain else None
        value = _assigned(statement, name)
        if isinstance(value, cst.Tuple):
            return _append(name, _after_star(value.elements, name), self._is_simple)
        return self._of_sum(value, name, cst.Tuple)

    def of_set(self, statement: cst.CSTNode, name: str) -> str | None:
        """Read `x = x | {y}`, `x = {*x, y}` and `x = x.union(y)`."""
        value = _assigned(statement, name)
        if isinstance(value, cst.Set):
            added = _after_star(value.elements, name)
            if len(added) == 1 and isinstance(added[0], cst.Element):
                return f"{name}.add({text(added[0].value)})"
            return f"{name}.update([{_listed(added)}])" if added else None
        if isinstance(value, cst.Call) and text(value.func) == f"{name}.union" and value.args:
            return text(value.with_changes(func=cst.parse_expression(f"{name}.update")))
        pieces = _operands(value, name, cst.BitOr)
        if len(pieces) != 1:
            return None
        [piece] = pieces
        if isinstance(piece, cst.Set) and len(piece.elements) == 1 and isinstance(piece.elements[0], cst.Element):
            return f"{name}.add({text(piece.elements[0].value)})"
        return f"{name} |= {text(piece)}"

    def of_dict(self, statement: cst.CSTNode, name: str) -> str | None:
        """Read `x = {**x, k: v}`, `x = dict(x, k=v)` and `x = x | {k: v}`."""
        value = _assigned(statement, name)
        if isinstance(value, cst.Dict) and value.elements:
            first, *added = value.elements
            is_star = isinstance(first, cst.StarredDictElement) and text(first.value) == name
            return self._updated(name, added) if is_star and added else None
        if self._resolver.is_call(value or cst.Name(name), "builtins.dict") and isinstance(value, cst.Call):
            named = value.args[1:]
            if named and text(value.args[0].value) == name and all(arg.keyword or arg.star == "**" for arg in named):
                return text(value.with_changes(func=cst.parse_expression(f"{name}.update"), args=named))
            return None
        pieces = _operands(value, name, cst.BitOr)
        if len(pieces) != 1 or self._types.name(pieces[0], self._region) != "dict":
            return None
        [piece] = pieces
        return self._updated(name, piece.elements) if isinstance(piece, cst.Dict) else f"{name}.update({text(piece)})"

    def _of_sum(self, value: cst.BaseExpression | None, name: str, display: type[cst.List | cst.Tuple]) -> str | None:
        pieces = _operands(value, name, cst.Add)
        return self._of_pieces(pieces, name, display) if pieces else None

    def _of_pieces(
        self, pieces: Sequence[cst.BaseExpression], name: str, display: type[cst.List | cst.Tuple]
    ) -> str | None:
        added: list[Element] = []
        for piece in pieces:
            if isinstance(piece, display):
                added.extend(piece.elements)  # type: ignore[arg-type] # elements of a list or tuple are these two
            elif self._types.name(piece, self._region) in {None, display.__name__.lower()}:
                added.append(cst.StarredElement(piece))
            else:
                return None  # an error, or something else than a list
        return _append(name, added, self._is_simple)

    def _is_simple(self, value: cst.BaseExpression) -> bool:
        return isinstance(value, _AGAIN) or self._types.name(value, self._region) in {"list", "tuple"}

    def _updated(self, name: str, added: Sequence[cst.BaseDictElement]) -> str | None:
        if len(added) != 1:
            return f"{name}.update({{{_listed(added)}}})" if added else None
        [only] = added
        if isinstance(only, cst.DictElement) and is_repeatable(only.key):
            value = text(only.value)
            return f"{name}[{text(only.key)}] = " + (f"({value})" if "\n" in value else value)
        is_dict = isinstance(only, cst.StarredDictElement) and self._types.name(only.value, self._region) == "dict"
        return f"{name}.update({text(only.value)})" if is_dict else f"{name}.update({{{_listed(added)}}})"


def _assigned(statement: cst.CSTNode, name: str) -> cst.BaseExpression | None:
    """Give the value of a plain `name = value`."""
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target = statement.targets[0].target
        return statement.value if isinstance(target, cst.Name) and target.value == name else None
    return None


def _operands(
    value: cst.BaseExpression | None, name: str, operator: type[cst.BaseBinaryOp]
) -> list[cst.BaseExpression]:
    """Give what is added to the variable, from left to right; nothing if it does not come first."""
    added: list[cst.BaseExpression] = []
    while isinstance(value, cst.BinaryOperation) and isinstance(value.operator, operator):
        added.insert(0, value.right)
        value = value.left
    return added if isinstance(value, cst.Name) and value.value == name else []


def _after_star(elements: Sequence[cst.BaseElement], name: str) -> Sequence[Element]:
    """Give the elements after `*name`; none if it does not come first."""
    first = elements[0] if elements else None
    if not isinstance(first, cst.StarredElement) or text(first.value) != name:
        return ()
    return [each for each in elements[1:] if isinstance(each, Element)]


def _append(name: str, added: Sequence[Element], is_simple: Callable[[cst.BaseExpression], bool]) -> str | None:
    if not added:
        return None
    if len(added) > 1:
        return f"{name}.extend([{_listed(added)}])"
    value = added[0].value
    if isinstance(added[0], cst.Element):
        return f"{name}.append({text(value)})"
    return f"{name}.extend({text(value)})" if is_simple(value) else f"{name}.extend([*{text(value)}])"


def _listed(elements: Sequence[cst.BaseElement | cst.BaseDictElement]) -> str:
    bare = [each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for each in elements]
    return ", ".join(text(each) for each in bare)

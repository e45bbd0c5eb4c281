"""Where in front of its loops something can be made once of a value that does not change in them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.effects import Changes, Effects
from afterburner.agent.rules.analysis.tree import walk
from afterburner.agent.rules.analysis.uses import Kind, consumes

if TYPE_CHECKING:
    from afterburner.agent.rules.analysis.scope import Analysis, Region, Repeat
    from afterburner.agent.rules.analysis.value_types import Types


_DISPLAYS = (cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp, cst.SetComp)
_MAKERS = (
    "builtins.list", "builtins.dict", "builtins.set", "builtins.sorted", "collections.deque", "collections.Counter",
    "collections.defaultdict",
)  # fmt: skip


class Hoisting:
    """Answers for one function; what its loops change is looked at once."""

    def __init__(self, analysis: Analysis, types: Types, region: Region) -> None:
        self._analysis, self._types, self._region = analysis, types, region
        self._effects: Effects | None = None
        self._changes: dict[Repeat | cst.Lambda, Changes] = {}

    def line(self, place: cst.CSTNode, value: cst.BaseExpression) -> cst.BaseStatement | None:
        """Give the statement before which something made of the value can stand, instead of at this place.

        None if the place is not repeated, or if the value may be another one in each round.
        """
        function = self._analysis.region_of(place)
        if isinstance(function, cst.Lambda):
            return self._line_before_lambda(function, value)
        repeats = self._analysis.repeats(place)
        passed: list[Repeat] = []
        for repeat in repeats:
            is_own = not self._analysis.yields(repeat) or self._is_own(value)
            if not (is_own and self._analysis.is_eager(repeat) and self._holds(value, repeat)):
                break
            passed.append(repeat)
        if not passed:
            return None
        line = self._analysis.tree.line(passed[-1])
        is_entered_again = any(each is line for each in repeats if each not in passed)
        return None if line is None or is_entered_again or not self._is_bound_above(value, line) else line

    def _line_before_lambda(self, function: cst.Lambda, value: cst.BaseExpression) -> cst.BaseStatement | None:
        """Give the statement before one that calls the lambda again and again, and is then done with it."""
        call = called_at_once(self._analysis, function)
        own = {param.name.value for param in walk(function.params) if isinstance(param, cst.Param)}
        if call is None or own & set(self._analysis.names(value).reads):
            return None
        if self._analysis.region_of(call) is not self._region or not self._holds(value, function):
            return None
        line = self._analysis.tree.line(call)
        further = self.line(call, value)
        if further is not None or line is None:
            return further
        is_entered_again = any(each is line for each in self._analysis.repeats(call))
        return line if not is_entered_again and self._is_bound_above(value, line) else None

    def _holds(self, value: cst.BaseExpression, repeat: Repeat | cst.Lambda) -> bool:
        """Tell whether the expression only computes, and the same value in each round."""
        if self._effects is None:
            self._effects = Effects(self._analysis.resolver, self._region)
        if repeat not in self._changes:
            self._changes[repeat] = self._effects.changes(repeat)
        changes = self._changes[repeat]
        others = {path[0] for path in changes.contents if self._grows_alone(path[0], value, repeat)}
        left = {path for path in changes.contents if path[0] not in others}
        return self._effects.is_pure(value) and self._effects.is_stable(value, replace(changes, contents=left))

    def _grows_alone(self, name: str, value: cst.BaseExpression, repeat: Repeat | cst.Lambda) -> bool:
        """Tell whether a variable holds an object made here, which is no part of the value, and only that one changes.

        `found.append(x)` leaves `words` as it is, also after `found = [each for each in words]`.
        """
        if not self._is_made_here(name) or name in self._analysis.names(value).reads:
            return False
        bound_here = self._analysis.names(self._region).binds
        parameters = self._analysis.parameters(self._region)
        if not all(
            not bound_here[other] or (other in parameters and bound_here[other] == 1) or self._is_made_here(other)
            for other in self._analysis.names(value).reads
            if other not in self._analysis.names(value).binds
        ):
            return False
        nested = {Kind.OTHER, Kind.CAPTURED, Kind.INDEX, Kind.SLICE, Kind.REBIND}
        return not any(
            use.kind in nested or isinstance(self._analysis.tree.parents.get(use.holder), cst.Attribute)
            for use in self._analysis.uses(name, self._region)
            if self._analysis.within(use.name, repeat)
        )

    def _is_made_here(self, name: str) -> bool:
        binds = [
            use
            for use in self._analysis.uses(name, self._region)
            if use.kind in {Kind.BIND, Kind.REBIND, Kind.CAPTURED}
        ]
        resolver = self._analysis.resolver
        return bool(binds) and all(
            use.kind is Kind.BIND
            and (isinstance(use.value, _DISPLAYS) or (use.value is not None and resolver.is_call(use.value, *_MAKERS)))
            for use in binds
        )

    def _is_own(self, value: cst.BaseExpression) -> bool:
        """Tell whether only this function can reach the value."""
        if not isinstance(value, cst.Name) or not self._types.is_list(value.value, self._region):
            return False
        escapes = {Kind.OTHER, Kind.CAPTURED}
        return not any(use.kind in escapes for use in self._analysis.uses(value.value, self._region))

    def _is_bound_above(self, value: cst.BaseExpression, line: cst.BaseStatement) -> bool:
        """Tell whether the names of the expression have their values before the line."""
        names, own = self._analysis.names(value), self._analysis.names(self._region)
        return all(
            any(
                self._analysis.before(use.name, line)
                for use in self._analysis.uses(name, self._region)
                if use.kind in {Kind.BIND, Kind.REBIND}
            )
            for name in names.reads
            if own.binds[name] and name not in names.binds and name not in own.shared
        )


def called_at_once(analysis: Analysis, function: cst.Lambda) -> cst.Call | None:
    """Give the call that runs a lambda for each element, right where it stands: `sorted(x, key=lambda …)`."""
    arg = analysis.tree.parents.get(function)
    call = analysis.tree.parents.get(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call):
        return None
    resolver = analysis.resolver
    if resolver.is_call(call, "builtins.sorted", "builtins.min", "builtins.max"):
        return call
    if isinstance(call.func, cst.Attribute) and call.func.attr.value == "sort":
        return call
    if not resolver.is_call(call, "builtins.filter", "builtins.map"):
        return None
    outer = analysis.tree.parents.get(call)
    taker = analysis.tree.parents.get(outer) if isinstance(outer, cst.Arg) else None
    return call if isinstance(taker, cst.Call) and consumes(resolver, taker) else None

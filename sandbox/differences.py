"""Tells a person how two encoded outcomes differ. Both come out of a sandbox; nothing in them is believed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from afterburner.sandbox.contrasts import contrast, contrast_texts
from afterburner.sandbox.effect_differences import explain_effects
from afterburner.sandbox.rendering import UNSHOWN, render, short_name
from afterburner.sandbox.trees import Json, same

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_BYTES = 1_048_576
_MAX_LINE = 400
_KINDS = {
    "function": "a function",
    "method": "a method",
    "static": "a static method",
    "class": "a class method",
    "property": "a property",
}
_NOT_READABLE = "did something that cannot be shown"


class _UnreadableError(Exception):
    """The bytes are no outcome of the encoder's."""


class _Outcome:
    """An outcome taken apart: `["outcome", kind, result, args, kwargs, globals, stdout, stderr, effects]`.

    There are effects only where the case asked for them.
    """

    def __init__(self, encoded: bytes) -> None:
        match _parse(encoded):
            case ["outcome", str(kind), [str(way), value], ["args", *args], ["kwargs", *kwargs],
                  ["globals", *held], printed, complained, *more]:  # fmt: skip
                self.kind, self.way, self.value, self.args = kind, way, value, args
                self.kwargs, self.globals = _by_name(kwargs), _by_name(held)
                self.printed, self.complained = printed, complained
                self.effects = more[0] if more else None
            case _:
                raise _UnreadableError


def incomparable_reason(encoded: bytes) -> str | None:
    """Why an outcome can be compared with no other, None if it can: it holds something that cannot be looked into."""
    if b'["opaque",' not in encoded:  # inside texts the quotes are escaped
        return None
    match _parse(encoded):
        case ["outcome", *_, ["opaque", *names]]:
            shown = ", ".join(render(["opaque", name], 80) for name in names[:4])
            return f"it holds {shown}, which cannot be looked into"
        case _:
            return "it holds something that cannot be looked into"


def render_outcome(encoded: bytes) -> str:
    """One line on what a call did: `returned [1, 2]`, `raised ValueError('x'), printed 'a'`."""
    try:
        outcome = _Outcome(encoded)
    except _UnreadableError:
        return _NOT_READABLE
    printed = f", printed {render(outcome.printed, 80)}" if outcome.printed else ""
    complained = f", wrote {render(outcome.complained, 80)} to stderr" if outcome.complained else ""
    return f"{outcome.way} {render(outcome.value, 200)}{printed}{complained}"


def explain_difference(expected: bytes, actual: bytes, parameters: Sequence[str] = ()) -> str:
    """The first difference between two outcomes in one line, beginning with a verb: `returned 4 instead of 3`.

    Args:
        expected: the outcome of the original.
        actual: the outcome of the rewrite.
        parameters: names of the positional parameters, for messages on arguments.
    """
    try:
        line = _explain(_Outcome(expected), _Outcome(actual), parameters)
    except (_UnreadableError, RecursionError):
        line = f"{_NOT_READABLE}, instead of what the original does"
    return line if len(line) <= _MAX_LINE else line[: _MAX_LINE - 1] + UNSHOWN


def _explain(expected: _Outcome, actual: _Outcome, parameters: Sequence[str]) -> str:
    if expected.kind != actual.kind:
        kinds = [_KINDS.get(kind, UNSHOWN) for kind in (actual.kind, expected.kind)]
        return f"is of {kinds[0]} instead of {kinds[1]}"
    if expected.way != actual.way:
        doing = {"returned": "returning", "raised": "raising"}.get(expected.way, UNSHOWN)
        return f"{actual.way[:20]} {render(actual.value)} instead of {doing} {render(expected.value)}"
    if not same(expected.value, actual.value):
        return f"{actual.way[:20]} {contrast(expected.value, actual.value)}"
    if not same(expected.printed, actual.printed):
        return f"printed {contrast_texts(expected.printed, actual.printed)}"
    if not same(expected.complained, actual.complained):
        return f"wrote to stderr {contrast_texts(expected.complained, actual.complained)}"
    left = _explain_left(expected, actual, parameters)
    return left or explain_effects(expected.effects, actual.effects) or _NOT_READABLE


def _explain_left(expected: _Outcome, actual: _Outcome, parameters: Sequence[str]) -> str | None:
    """What the call left behind in its arguments and in the module."""
    for index, (left, right) in enumerate(zip(expected.args, actual.args, strict=False)):
        if not same(left, right):
            return f"left argument {_argument(index, parameters)} as {contrast(left, right)}"
    for what, wanted, got in (
        ("argument", expected.kwargs, actual.kwargs),
        ("the global", expected.globals, actual.globals),
    ):
        for name, left in wanted.items():
            right = got.get(name)
            if not same(left, right):
                return f"left {what} `{short_name(name)}` as {contrast(left, right)}"
    return None


def _parse(encoded: bytes) -> Json:
    if len(encoded) > _MAX_BYTES:
        return None
    try:
        parsed: Json = json.loads(encoded)
    except (ValueError, RecursionError):
        return None
    return parsed


def _by_name(named: list[Json]) -> dict[str, Json]:
    """`["named", name, value]` children by name; a name without a value is one that is not there."""
    found: dict[str, Json] = {}
    for child in named:
        match child:
            case ["named", str(name), value]:
                found[name] = value
            case ["named", str(name)]:
                found[name] = ["opaque", "nothing"]
            case _:
                raise _UnreadableError
    return found


def _argument(index: int, parameters: Sequence[str]) -> str:
    place = f"{index + 1}{_ordinal_suffix(index + 1)}"
    return f"`{parameters[index]}` ({place})" if index < len(parameters) else place


def _ordinal_suffix(number: int) -> str:
    if number % 100 in {11, 12, 13}:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")

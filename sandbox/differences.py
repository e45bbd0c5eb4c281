"""Tells a person how two encoded outcomes differ. Both come out of a sandbox; nothing in them is believed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from afterburner.sandbox.contrasts import contrast, contrast_texts
from afterburner.sandbox.effect_differences import explain_effects
from afterburner.sandbox.rendering import UNSHOWN, render, short_name
from afterburner.sandbox.shared_objects import RAISED, RESULT, Part, explain_sharing
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

    def parts(self, parameters: Sequence[str]) -> list[Part]:
        """What it returned and left, in the order in which these are encoded."""
        found = [Part(RESULT if self.way == "returned" else RAISED, "", self.value)]
        for index, tree in enumerate(self.args):
            code = _code_of_argument(index, parameters)
            found.append(Part(f"`{code}`" if code else f"the {_ordinal(index + 1)} argument", code, tree))
        for before, named in (("", self.kwargs), ("the global ", self.globals)):
            found += [Part(f"{before}`{short_name(name)}`", short_name(name), tree) for name, tree in named.items()]
        return found


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
        parameters: names of the positional parameters, for messages on arguments; `*rest` as the last one takes all
            others.
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
    return (
        _explain_shared(expected, actual, parameters)
        or _explain_told(expected, actual)
        or _explain_left(expected, actual, parameters)
        or explain_effects(expected.effects, actual.effects)
        or _NOT_READABLE
    )


def _explain_told(expected: _Outcome, actual: _Outcome) -> str | None:
    """What it returned, raised or printed."""
    if not same(expected.value, actual.value):
        return f"{actual.way[:20]} {contrast(expected.value, actual.value)}"
    if not same(expected.printed, actual.printed):
        return f"printed {contrast_texts(expected.printed, actual.printed)}"
    if not same(expected.complained, actual.complained):
        return f"wrote to stderr {contrast_texts(expected.complained, actual.complained)}"
    return None


def _explain_shared(expected: _Outcome, actual: _Outcome, parameters: Sequence[str]) -> str | None:
    """What only differs in whether it is one object with another, if that is the first difference."""
    parts, others = expected.parts(parameters), actual.parts(parameters)
    pairs = enumerate(zip(parts, others, strict=False))
    index = next((index for index, (one, other) in pairs if not same(one.tree, other.tree)), None)
    return explain_sharing(parts, others, index) if index is not None else None


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
    code, place = _code_of_argument(index, parameters), _ordinal(index + 1)
    return f"`{code}` ({place})" if code else place


def _code_of_argument(index: int, parameters: Sequence[str]) -> str:
    """How the function itself would write a positional argument; empty if that is not known."""
    last = len(parameters) - 1
    if parameters and parameters[last].startswith("*") and index >= last:
        return f"{parameters[last][1:]}[{index - last}]"
    return parameters[index] if index <= last else ""


def _ordinal(number: int) -> str:
    if number % 100 in {11, 12, 13}:
        return f"{number}th"
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")

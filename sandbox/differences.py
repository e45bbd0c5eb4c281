"""Tells a person how two encoded outcomes differ. Both come out of a sandbox; nothing in them is believed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from afterburner.sandbox.rendering import PAIRS, UNSHOWN, Json, render, short_name

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_BYTES = 1_048_576
_MAX_STEPS = 64
_MAX_LINE = 400
_SEQUENCES = ("list", "tuple", "deque", "dict_keys", "dict_values", "dict_items")
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
    """An outcome taken apart: `["outcome", kind, result, args, kwargs, globals, stdout, stderr]`."""

    def __init__(self, encoded: bytes) -> None:
        match _parse(encoded):
            case ["outcome", str(kind), [str(way), value], ["args", *args], ["kwargs", *kwargs],
                  ["globals", *held], printed, complained, *_]:  # fmt: skip
                self.kind, self.way, self.value, self.args = kind, way, value, args
                self.kwargs, self.globals = _by_name(kwargs), _by_name(held)
                self.printed, self.complained = printed, complained
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
    if not _same(expected.value, actual.value):
        return f"{actual.way[:20]} {_contrast(expected.value, actual.value)}"
    if not _same(expected.printed, actual.printed):
        return f"printed {_contrast_texts(expected.printed, actual.printed)}"
    if not _same(expected.complained, actual.complained):
        return f"wrote to stderr {_contrast_texts(expected.complained, actual.complained)}"
    return _explain_left(expected, actual, parameters) or _NOT_READABLE


def _explain_left(expected: _Outcome, actual: _Outcome, parameters: Sequence[str]) -> str | None:
    """What the call left behind in its arguments and in the module."""
    for index, (left, right) in enumerate(zip(expected.args, actual.args, strict=False)):
        if not _same(left, right):
            return f"left argument {_argument(index, parameters)} as {_contrast(left, right)}"
    for what, wanted, got in (
        ("argument", expected.kwargs, actual.kwargs),
        ("the global", expected.globals, actual.globals),
    ):
        for name, left in wanted.items():
            right = got.get(name)
            if not _same(left, right):
                return f"left {what} `{short_name(name)}` as {_contrast(left, right)}"
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


def _same(left: Json, right: Json) -> bool:
    """Whether two trees are the same; `==` would take 1 for true."""
    return json.dumps(left) == json.dumps(right)


def _argument(index: int, parameters: Sequence[str]) -> str:
    place = f"{index + 1}{_ordinal_suffix(index + 1)}"
    return f"`{parameters[index]}` ({place})" if index < len(parameters) else place


def _ordinal_suffix(number: int) -> str:
    if number % 100 in {11, 12, 13}:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _contrast(expected: Json, actual: Json) -> str:
    """`actual instead of expected`, and where they first differ if that is inside."""
    path, left, right = _first_difference(expected, actual)
    got, wanted = render(actual, 100), render(expected, 100)
    if got == wanted:
        if path and render(left) != render(right):
            return f"{got}, where {path} is {render(right)} instead of {render(left)}"
        return f"{got}, which differs {_hidden_reason(left, right)}"
    return f"{got} instead of {wanted}" + (f" (first difference at {path})" if path else "")


def _hidden_reason(left: Json, right: Json) -> str:
    match left, right:
        case ["drained", kind, ending, items, notes], [
            "drained",
            other_kind,
            other_ending,
            other_items,
            other_notes,
        ] if _same([kind, ending, items], [other_kind, other_ending, other_items]) and not _same(notes, other_notes):
            return "in when it prints, or changes its arguments or the module: " + _moment(notes, other_notes)
    shown = json.dumps([left, right])
    if any(f'["{tag}"' in shown for tag in ("rest", "deep", "digest")):
        return "in a part that is too large to show"
    return "from the original's in a part that is not shown"


def _moment(notes: Json, other_notes: Json) -> str:
    """When two generators that give the same items first do something else."""
    different = [*_missing(notes, other_notes), *_missing(other_notes, notes)]
    taken = min((count for count in different if isinstance(count, int)), default=0)
    return f"by the time that {taken} items were taken" if taken > 0 else "before the first item"


def _missing(notes: Json, others: Json) -> list[Json]:
    """After how many items there is a note that is not among the others."""
    known = {json.dumps(note) for note in others} if isinstance(others, list) else set()
    listed = notes if isinstance(notes, list) else []
    return [note[1] for note in listed if isinstance(note, list) and len(note) > 1 and json.dumps(note) not in known]


def _contrast_texts(expected: Json, actual: Json) -> str:
    """Printed texts: the first line that differs."""
    if not (isinstance(expected, str) and isinstance(actual, str)):
        return _contrast(expected, actual)
    wanted, got = expected.splitlines(), actual.splitlines()
    for number, (left, right) in enumerate(zip(wanted, got, strict=False), start=1):
        if left != right:
            place = f" (line {number})" if len(wanted) > 1 else ""
            return f"{render(right, 100)} instead of {render(left, 100)}{place}"
    if len(wanted) != len(got):
        return f"{len(got)} lines instead of {len(wanted)}"
    return f"{render(actual, 100)} instead of {render(expected, 100)}"


def _first_difference(left: Json, right: Json) -> tuple[str, Json, Json]:
    """Where two trees part, as Python would write the way there, and what is there in each."""
    path = ""
    for _ in range(_MAX_STEPS):
        step = _step(left, right)
        if step is None:
            break
        path += step[0]
        left, right = step[1:]
    return path, left, right


def _step(left: Json, right: Json) -> tuple[str, Json, Json] | None:
    """One step towards the first difference; None if the trees differ here."""
    match left, right:
        case ["object", name, ["items", *state]], ["object", other, ["items", *other_state]] if name == other:
            return _attribute_step(state, other_state)
        case ["sub", name, base, state], ["sub", other, other_base, other_state] if name == other:
            return ("", base, other_base) if not _same(base, other_base) else ("", state, other_state)
        case [str(tag), *items], [str(other), *other_items] if tag == other and (tag in _SEQUENCES or tag in PAIRS):
            return _item_step(tag, items, other_items)
        case _:
            return None


def _attribute_step(state: list[Json], other_state: list[Json]) -> tuple[str, Json, Json] | None:
    if not _same(state[::2], other_state[::2]):
        return None
    for name, left, right in zip(state[::2], state[1::2], other_state[1::2], strict=False):
        if not _same(left, right):
            return f".{short_name(name)}", left, right
    return None


def _item_step(tag: str, items: list[Json], other_items: list[Json]) -> tuple[str, Json, Json] | None:
    offset = 1 if tag == "deque" else 0
    for index, (left, right) in enumerate(zip(items, other_items, strict=False)):
        if _same(left, right):
            continue
        match left, right:
            case ["tuple", key, value], ["tuple", other_key, other_value] if tag in PAIRS and _same(key, other_key):
                return f"[{render(key, 40)}]", value, other_value
            case ["rest", *_], ["rest", *_]:
                return f"[{index - offset}:]", left, right
            case _ if tag not in PAIRS and index >= offset:
                return f"[{index - offset}]", left, right
            case _:
                return None
    return None

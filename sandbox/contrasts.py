"""How two encoded values differ, in words: where they part, and what is there in each. Nothing in them is believed."""

from __future__ import annotations

import json

from afterburner.sandbox.array_contrasts import array_step, frame_step
from afterburner.sandbox.rendering import PAIRS, is_cut, render, short_name
from afterburner.sandbox.trees import Json, same

_MAX_STEPS = 64
_MOST_NAMED = 3
_TOO_LARGE = "in a part that is too large to show"
_NOT_SHOWN = "from the original's in a part that is not shown"
_ELSEWHERE = "another that the call returned or left"
_SEQUENCES = ("list", "tuple", "deque", "dict_keys", "dict_values", "dict_items")


def is_hidden(explained: str) -> bool:
    """Whether an explanation says that two values differ, and not where."""
    return _TOO_LARGE in explained or _NOT_SHOWN in explained


def contrast(expected: Json, actual: Json) -> str:
    """`actual instead of expected`, and where they first differ if that is inside."""
    path, left, right = first_difference(expected, actual)
    got, wanted = render(actual, 100), render(expected, 100)
    if is_shared(left) != is_shared(right):
        own, is_own = (right, True) if is_shared(left) else (left, False)
        return f"{got}, {f'where {path}' if path else 'which'} is {own_or_shared(own, '', is_own=is_own)}"
    attributes = _other_attributes(left, right)
    if attributes:
        return f"{got}, where {path} {attributes}" if path else f"{got}, which {attributes}"
    is_deep = path and (got == wanted or is_cut(got) or is_cut(wanted))
    if is_deep and render(left) != render(right):
        return f"{got}, where {path} is {render(right)} instead of {render(left)}"
    if got == wanted:
        return f"{got}, which differs {_hidden_reason(left, right)}"
    return f"{got} instead of {wanted}" + (f" (first difference at {path})" if path else "")


def own_or_shared(own: Json, there: str, *, is_own: bool) -> str:
    """What stands in a place where one version has an object of its own, and the other one that it was met before.

    Args:
        own: the object in the former.
        there: the other place that holds it in the latter, in words; empty if that is not known.
        is_own: whether the former is the rewrite.
    """
    kind = kind_of(own)
    new = f"{'an' if kind[:1] in 'aeiouAEIOU' else 'a'} {kind} of its own"
    known = f"the same {kind} as {there or _ELSEWHERE}"
    return f"{new}; in the original it is {known}" if is_own else f"{known}; in the original it is {new}"


def kind_of(tree: Json) -> str:
    """The type of an object, in a word or two."""
    match tree:
        case [("object" | "sub" | "exception"), str(name), *_] if name != "builtins.object":
            return f"{short_name(name)} object"
        case [str(tag), *_] if tag in {"list", "dict", "set", "deque", "OrderedDict", "defaultdict", "bytearray"}:
            return tag
        case ["ndarray", *_]:
            return "array"
        case _:
            return "object"


def is_shared(tree: Json) -> bool:
    """Whether it stands for an object that was met before."""
    return isinstance(tree, list) and tree[:1] == ["ref"]


def _hidden_reason(left: Json, right: Json) -> str:
    match left, right:
        case ["drained", kind, ending, items, notes], [
            "drained",
            other_kind,
            other_ending,
            other_items,
            other_notes,
        ] if same([kind, ending, items], [other_kind, other_ending, other_items]) and not same(notes, other_notes):
            return "in when it prints, or changes its arguments or the module: " + _moment(notes, other_notes)
        case ["exception", _, _, _, _, *chain], ["exception", _, _, _, _, *other_chain] if not same(chain, other_chain):
            return f"in what it came from: {_chain(other_chain)} instead of {_chain(chain)}"
    shown = json.dumps([left, right])
    if any(f'["{tag}"' in shown for tag in ("rest", "deep", "digest")):
        return _TOO_LARGE
    return _NOT_SHOWN


def _chain(chain: list[Json]) -> str:
    """What an exception was raised from."""
    match chain:
        case [["from", cause]]:
            return f"from {render(cause, 80)}"
        case [["while", ["type", name]]]:
            return f"while {short_name(name)} was handled"
        case _:
            return "nothing"


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


def contrast_texts(expected: Json, actual: Json) -> str:
    """Printed texts: the first line that differs."""
    if not (isinstance(expected, str) and isinstance(actual, str)):
        return contrast(expected, actual)
    wanted, got = expected.splitlines(), actual.splitlines()
    for number, (left, right) in enumerate(zip(wanted, got, strict=False), start=1):
        if left != right:
            place = f" (line {number})" if len(wanted) > 1 else ""
            return f"{render(right, 100)} instead of {render(left, 100)}{place}"
    if len(wanted) != len(got):
        return f"{len(got)} lines instead of {len(wanted)}"
    return f"{render(actual, 100)} instead of {render(expected, 100)}"


def first_difference(left: Json, right: Json) -> tuple[str, Json, Json]:
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
        case (
            (["object", name, ["items", *state]], ["object", other, ["items", *other_state]])
            | (["items" as name, *state], ["items" as other, *other_state])  # attributes of a container
        ) if name == other:
            return _attribute_step(state, other_state)
        case [("sub" | "exception") as tag, name, *parts], [str(other_tag), other, *other_parts] if (tag, name) == (
            other_tag,
            other,
        ):
            return _part_step(tag, parts, other_parts)
        case ["ndarray", name, *_], ["ndarray", other, *_] if name == other:
            return array_step(left, right)
        case ["frame", name, *_], ["frame", other, *_] if name == other:
            return frame_step(left, right)
        case [str(tag), *items], [str(other), *other_items] if tag == other and (tag in _SEQUENCES or tag in PAIRS):
            return _item_step(tag, items, other_items)
        case _:
            return None


def _part_step(tag: str, parts: list[Json], others: list[Json]) -> tuple[str, Json, Json] | None:
    """A step to what a container holds or to its attributes; to those of an exception that was given the same."""
    if tag == "exception":  # what it was given is always shown, so there is no step to that
        parts, others = (parts[2:3], others[2:3]) if same(parts[:2], others[:2]) else ([], [])
    return next((("", one, other) for one, other in zip(parts, others, strict=False) if not same(one, other)), None)


def _attribute_step(state: list[Json], other_state: list[Json]) -> tuple[str, Json, Json] | None:
    if not same(state[::2], other_state[::2]):
        return None
    for name, left, right in zip(state[::2], state[1::2], other_state[1::2], strict=False):
        if not same(left, right):
            return f".{short_name(name)}", left, right
    return None


def _other_attributes(left: Json, right: Json) -> str:
    """Which attributes only one of two objects of the same class or exceptions has; empty if there is none."""
    match left, right:
        case (["object", name, ["items", *state]], ["object", other, ["items", *other_state]]) | (
            ["items" as name, *state],
            ["items" as other, *other_state],
        ) if name == other:
            had, has = (_names_in(each) for each in (state, other_state))
        case _:
            return ""
    words = [f"has the new attribute `{each}`" for each in has if each not in had]
    words += [f"lacks the attribute `{each}`" for each in had if each not in has]
    return " and ".join(words[:_MOST_NAMED])


def _names_in(state: list[Json]) -> list[str]:
    return [short_name(name) for name in state[::2] if isinstance(name, str)]


def _item_step(tag: str, items: list[Json], other_items: list[Json]) -> tuple[str, Json, Json] | None:
    offset = 1 if tag == "deque" else 0
    for index, (left, right) in enumerate(zip(items, other_items, strict=False)):
        if same(left, right):
            continue
        match left, right:
            case ["tuple", key, value], ["tuple", other_key, other_value] if tag in PAIRS and same(key, other_key):
                return f"[{render(key, 40)}]", value, other_value
            case ["rest", *_], ["rest", *_]:
                return f"[{index - offset}:]", left, right
            case _ if tag not in PAIRS and index >= offset:
                return f"[{index - offset}]", left, right
            case _:
                return None
    return None

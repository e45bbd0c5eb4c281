"""Tells a person how the effects of two calls differ (`driver/call_effects.py`); nothing in them is believed."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from afterburner.sandbox.contrasts import contrast
from afterburner.sandbox.rendering import UNSHOWN, render, short_name
from afterburner.sandbox.trees import same

if TYPE_CHECKING:
    from afterburner.sandbox.trees import Json

_MOST_SHOWN = 160


def explain_effects(expected: Json, actual: Json) -> str | None:
    """The first effect that differs, beginning with a verb: `logged nothing more instead of ...`; None: none does."""
    wanted, got = _by_tag(expected), _by_tag(actual)
    for tag, explain in (("events", _explain_events), ("modules", _explain_modules), ("files", _explain_files)):
        if not same(wanted.get(tag), got.get(tag)):
            return explain(_children(wanted.get(tag)), _children(got.get(tag)))
    if not same(wanted.get("again"), got.get("again")):
        said = _explain_again(wanted.get("again"), got.get("again"))
        return f"did something else the second time: after the caller changed what it had made, the same call {said}"
    if not same(wanted.get("fewer"), got.get("fewer")):
        said = "did not do" if same(wanted.get("fewer"), ["fewer", True]) else "did"
        return f"{said} on a list that it had seen, once the last item was removed, what it does on an equal list"
    return None


def _by_tag(effects: Json) -> dict[str, Json]:
    parts = (part for part in _children(effects) if isinstance(part, list))
    return {part[0]: part for part in parts if part and isinstance(part[0], str)}


def _children(tree: Json) -> list[Json]:
    return tree[1:] if isinstance(tree, list) else []


def _explain_events(expected: list[Json], actual: list[Json]) -> str:
    for wanted, got in zip_longest(expected, actual):
        if not same(wanted, got):
            if got is None:
                return f"did not do what the original does: {_event(wanted)}"
            if wanted is None:
                return f"did what the original does not: {_event(got)}"
            return f"did not do the same on its way: {_event(got)} instead of {_event(wanted)}"
    return "told others something else on its way"


def _event(event: Json) -> str:
    match event:
        case ["logged", name, level, message, *_]:
            return f"log {render(message, _MOST_SHOWN)} ({render(level, 20)}, logger {render(name, 40)})"
        case ["warned", category, message]:
            kind = category[1] if isinstance(category, list) and len(category) > 1 else ""
            return f"warn {render(message, _MOST_SHOWN)} ({short_name(kind)})"
        case ["called", name, *arguments]:
            shown = ", ".join(render(each, 60) for each in arguments)
            return f"call {short_name(name)}({shown[:_MOST_SHOWN]})"
        case ["found", name, sizes]:
            return f"let {short_name(name)} find {render(sizes, _MOST_SHOWN)} bytes in files"
    return UNSHOWN


def _explain_modules(expected: list[Json], actual: list[Json]) -> str:
    wanted, got = _by_name(expected), _by_name(actual)
    for name in (*wanted, *got):
        left, right = wanted.get(name), got.get(name)
        if same(left, right):
            continue
        shown = render(name, 80)
        if left is None:
            return f"left {shown} changed, which the original leaves alone"
        if right is None:
            return f"left {shown} as it was, which the original changes"
        return f"left {shown} as {contrast(left, right)}"
    return "left other data of the project's modules"


def _explain_files(expected: list[Json], actual: list[Json]) -> str:
    wanted, got = _by_name(expected), _by_name(actual)
    for name in (*wanted, *got):
        if not same(wanted.get(name), got.get(name)):
            shown = render(name, 80)
            if name not in got:
                return f"did not change the file {shown}, as the original does"
            if name not in wanted:
                return f"changed the file {shown}, which the original leaves alone"
            return f"left in the file {shown} {contrast(wanted[name], got[name])}"
    return "left other contents of files"


def _by_name(parts: list[Json]) -> dict[str, Json]:
    """`[tag, name, value]` by name; a name without a value is one that is gone."""
    return {
        part[1]: part[2] if len(part) > 2 else ["opaque", "nothing"]
        for part in parts
        if isinstance(part, list) and len(part) > 1 and isinstance(part[1], str)
    }


def _explain_again(expected: Json, actual: Json) -> str:
    match expected, actual:
        case [_, [str(way), value], *more], [_, [str(other), got], *others]:
            if way != other:
                return f"{other[:20]} {render(got)} instead of {way[:20]} {render(value)}"
            if not same(value, got):
                return f"{other[:20]} {contrast(value, got)}"
            if more[:1] != others[:1]:
                return "returned parts of what it had returned before"
            if not same(more[1:2], others[1:2]):
                return "left its arguments otherwise"
            return _explain_files(_children(more[-1] if more else None), _children(others[-1] if others else None))
    return "cannot be compared"

"""Tells which two places hold one object in one version, and objects of their own in the other.

An object that was met before is written as `["ref", n]` (`driver/value_encoder.py`), where n counts the mutable objects
in the order in which they are met. A place is named only where that count is certain.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from afterburner.sandbox.contrasts import first_difference, is_shared, kind_of, own_or_shared
from afterburner.sandbox.rendering import PAIRS, render, short_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.sandbox.trees import Json

RESULT, RAISED = "the result", "the exception"
_MAX_DEPTH = 64
_NO_OBJECTS = {"float", "int", "text", "number", "bytes", "complex", "range", "slice", "constant", "type", "ref"}
_NO_OBJECTS |= {"date", "timedelta", "timezone", "Decimal", "pattern"}
_CHANGEABLE = {"list", "deque", "dict", "OrderedDict", "set", "bytearray"}


class Part(NamedTuple):
    """What a call returned, or left in an argument or in a global.

    `name` is in words. `code` is what to write before a path inside of it; empty: the path is put before the name.
    """

    name: str
    code: str
    tree: Json

    def place(self, path: str) -> str:
        """A place inside of it, in words."""
        if not path:
            return self.name
        if not self.code:
            return f"`{path}` of {self.name}"
        return self.name.replace(f"`{self.code}`", f"`{self.code}{path}`")


class _UncertainError(Exception):
    """From here on it is not certain which object has which number."""


def explain_sharing(expected: Sequence[Part], actual: Sequence[Part], index: int) -> str | None:
    """How two versions differ in a part, if one object stands there that is met before, in one of the versions alone.

    Args:
        expected: of the original, in the order in which they are encoded. The first one is the result.
        actual: of the rewrite, likewise.
        index: of the part that differs.
    """
    path, left, right = first_difference(expected[index].tree, actual[index].tree)
    if is_shared(left) == is_shared(right):
        return None
    parts, shared, own = (expected, left, right) if is_shared(left) else (actual, right, left)
    found = _met_before(parts, shared, own)
    here = actual[index].place(path)
    if not index:
        there = ("itself" if not found[1] else f"its {found[1]}") if found is not None else ""
        said = own_or_shared(own, there, is_own=parts is expected)
        verb = "raised" if actual[0].name == RAISED else "returned"
        return f"{verb} {render(actual[0].tree, 100)}, where {path} is {said}"
    if found is not None and found[0].name == RESULT:
        what = f"a result whose {found[1]} is " if found[1] else ""
        return f"returned {what}{own_or_shared(own, here, is_own=parts is expected)}"
    there = found[0].place(found[1]) if found is not None else ""
    return f"left {here} as {own_or_shared(own, there, is_own=parts is expected)}"


def _met_before(parts: Sequence[Part], shared: Json, own: Json) -> tuple[Part, str] | None:
    """Where the object stands first, if that is certain: the part, and the path in it."""
    match shared:
        case ["ref", int(number)] if number >= 0:
            try:
                found = next(islice(_objects(parts), number, None), None)
            except _UncertainError:
                return None
        case _:
            return None
    if found is None or found[1] is None or kind_of(found[2]) != kind_of(own) or render(found[2]) != render(own):
        return None
    return found[0], found[1]


def _objects(parts: Sequence[Part]) -> Iterator[tuple[Part, str | None, Json]]:
    for part in parts:
        for path, tree in _numbered(part.tree, "", 0):
            yield part, path, tree


def _numbered(tree: Json, path: str | None, depth: int) -> Iterator[tuple[str | None, Json]]:
    """The objects that have a number, in their order, with the path to each; None: there is no way to write one."""
    if not isinstance(tree, list):
        return
    if depth > _MAX_DEPTH or not tree:
        raise _UncertainError
    if tree[0] in _NO_OBJECTS:
        return
    if _is_numbered(tree):
        yield path, tree
    for step, child in _inside(tree):
        below = path + step if path is not None and step is not None else None
        yield from _numbered(child, below, depth + 1)


def _is_numbered(tree: list[Json]) -> bool:
    match tree:
        case ["sub", _, [str(tag), *_], *_]:
            if tag in {"tuple", "frozenset"}:  # it has a number only if it has room for attributes
                raise _UncertainError
            return tag in _CHANGEABLE
        case ["object" | "exception", str(name), *_]:
            if not name or name.startswith(("fractions.", "uuid.")):
                raise _UncertainError
            return True
        case _:
            return tree[0] in _CHANGEABLE


def _inside(tree: list[Json]) -> list[tuple[str | None, Json]]:
    """What stands inside a value, with the step to each."""
    match tree:
        case ["object", _, ["items", *state]]:
            return _attributes(state)
        case ["sub", _, [str(tag), *_] as base, ["items", *state]]:
            return [*([] if tag in _NO_OBJECTS else _inside(base)), *_attributes(state)]
        case ["exception", _, ["tuple", *arguments], ["items"], ["items", *state]]:
            return [*((f".args[{index}]", each) for index, each in enumerate(arguments)), *_attributes(state)]
        case ["enum", _, _, value]:
            return [(".value", value)]
        case [("object" | "set" | "frozenset"), *items] if not any(isinstance(each, list) for each in items):
            return []
        case _:
            return _inside_container(tree)


def _inside_container(tree: list[Json]) -> list[tuple[str | None, Json]]:
    match tree:
        case [("list" | "tuple" | "bytearray"), *items] | ["deque", _, *items]:
            return [(f"[{index}]", item) for index, item in enumerate(items)]
        case [str(tag), *pairs] if tag in PAIRS:
            return _inside_pairs(pairs)
        case _:
            raise _UncertainError


def _inside_pairs(pairs: list[Json]) -> list[tuple[str | None, Json]]:
    found: list[tuple[str | None, Json]] = []
    for pair in pairs:
        match pair:
            case ["tuple", key, value]:
                found += [(None, key), (f"[{render(key, 40)}]", value)]
            case _:
                raise _UncertainError
    return found


def _attributes(state: list[Json]) -> list[tuple[str | None, Json]]:
    if not all(isinstance(name, str) for name in state[::2]):
        raise _UncertainError
    return [(f".{short_name(name)}", value) for name, value in zip(state[::2], state[1::2], strict=False)]

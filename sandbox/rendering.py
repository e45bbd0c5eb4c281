"""Shows an encoded value (`driver/value_encoder.py`) to a person, much as Python would write it.

The trees come out of a sandbox and may be anything that is JSON: whatever is not of the encoder's form is shown as
`…`, and no text grows beyond its bound.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from afterburner.sandbox.array_elements import column_elements, column_length, index_elements
from afterburner.sandbox.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.sandbox.trees import Json

MAX_DEPTH = 5
MAX_ITEMS = 12
MAX_TEXT = 60
_BRACKETS = {
    "list": ("[", "]"),
    "tuple": ("(", ")"),
    "dict": ("{", "}"),
    "set": ("{", "}"),
    "frozenset": ("frozenset({", "})"),
    "deque": ("deque([", "])"),
    "OrderedDict": ("OrderedDict({", "})"),
    "dict_keys": ("dict_keys([", "])"),
    "dict_values": ("dict_values([", "])"),
    "dict_items": ("dict_items([", "])"),
    "items": ("", ""),
}
PAIRS = ("dict", "OrderedDict")
UNSHOWN = "…"
_LAYOUT_MARKS = ("read-only", "with gaps")  # of an array: see `driver/numpy_values.py`


def is_cut(text: str) -> bool:
    """Whether a rendered value is not shown as a whole."""
    return UNSHOWN in text


def render(tree: Json, most: int = 120) -> str:
    """One line for a value, at most `most` characters."""
    text = _render(tree, 0)
    return text if len(text) <= most else text[: most - 1] + UNSHOWN


def short_name(name: Json) -> str:
    """The last part of a class's or function's qualified name."""
    if not isinstance(name, str):
        return UNSHOWN
    return _printable(name[:200].rsplit(".", 1)[-1], MAX_TEXT)


def _render(tree: Json, depth: int) -> str:
    if isinstance(tree, str):
        return _text(tree, len(tree))
    if not isinstance(tree, list):
        return repr(tree)[:MAX_TEXT] if not isinstance(tree, dict) else UNSHOWN
    if depth > MAX_DEPTH or not tree or not isinstance(tree[0], str):
        return UNSHOWN
    tag, parts = tree[0], tree[1:]
    if tag in _BRACKETS:
        return _container(tag, parts, depth)
    if tag in {"rest", "deep", "digest", "opaque", "ref"}:
        return _mark(tag, parts)
    return _single(tag, parts, depth)


def _container(tag: str, parts: list[Json], depth: int) -> str:
    opening, closing = _BRACKETS[tag]
    if tag == "deque":
        parts = parts[1:]
    if tag in {"set", "frozenset"} and not parts:
        return f"{tag}()"
    parts = [part for part in parts if not _is_note(part)]
    shown = [_item(part, depth, is_pair=tag in PAIRS) for part in parts[:MAX_ITEMS]]
    if len(parts) > MAX_ITEMS:
        shown.append(f"{UNSHOWN} {len(parts) - MAX_ITEMS} more")
    if tag == "tuple" and len(parts) == 1:
        return f"({shown[0]},)"
    return opening + ", ".join(shown) + closing


def _is_note(part: Json) -> bool:
    """Whether it is no element of a set: it tells that those before it share objects."""
    return isinstance(part, list) and part[:1] == ["shared"]


def _item(tree: Json, depth: int, *, is_pair: bool) -> str:
    match tree:
        case ["tuple", key, value] if is_pair:
            return f"{_render(key, depth + 1)}: {_render(value, depth + 1)}"
        case _:
            return _render(tree, depth + 1)


def _mark(tag: str, parts: list[Json]) -> str:
    match tag, parts:
        case "rest", [int(count), *_]:
            return f"{UNSHOWN} {count} more"
        case "opaque", [str(name), *_]:
            return f"<{_printable(name, MAX_TEXT)}>"
        case "ref", _:
            return "<an object from above>"
        case _:
            return UNSHOWN


def _single(tag: str, parts: list[Json], depth: int) -> str:
    match tag, parts:
        case (("float" | "int"), [str(number)]):
            return _printable(number, MAX_TEXT)
        case "text", [int(length), str(start), str()]:
            return _text(start, length)
        case (("bytes" | "bytearray"), [str(data)]):
            return _bytes(tag, data, len(data))
        case (("bytes" | "bytearray"), [int(length), str(data), str()]):
            return _bytes(tag, data, length)
        case (("number" | "text"), [value]):
            return _render(value, depth)
        case (("type" | "function"), [name, *_]):
            return short_name(name)
        case "enum", [name, member, *_]:
            return f"{short_name(name)}.{short_name(member)}"
        case "object", [name, ["items", *state]]:
            return f"{short_name(name)}({', '.join(_named(state, depth))})"
        case "shares", [element, *_]:
            return _render(element, depth)
        case "sub", [name, base, ["items", *_]]:
            return f"{short_name(name)}({_render(base, depth + 1)})"
        case "exception", [name, ["tuple", *arguments], *_]:
            return f"{short_name(name)}({', '.join(_render(part, depth + 1) for part in arguments[:MAX_ITEMS])})"
        case "drained", [name, ending, ["items", *items], *_]:
            return f"<{short_name(name)} of {_container('list', items, depth)}{_ending(ending, depth)}>"
        case "ndarray", [_, dtype, shape, _, ["items", *values], *more]:
            content = _container("list", values, depth)
            marks = more[-1] if more and isinstance(more[-1], list) else []
            layout = "".join(f", {mark}" for mark in _LAYOUT_MARKS if mark in marks)
            return f"array({content}, shape={_render(shape, depth)}, dtype={_render(dtype, depth)}{layout})"
        case "frame", [name, ["items", *axes], ["items", *columns], *more]:
            return f"{short_name(name)}({', '.join(_frame_parts(axes, columns, more, depth))})"
        case "pandas", [name, str(shown), *_]:
            return f"{short_name(name)}({_render(shown, depth)})"
        case "numpy", [name, shown, *_]:
            return f"{short_name(name)}({_render(shown, depth) if shown is not None else UNSHOWN})"
        case _:
            shown = ", ".join(_render(part, depth + 1) for part in parts[:MAX_ITEMS])
            return f"{_printable(tag, 20)}({shown})"


def _frame_parts(axes: list[Json], columns: list[Json], more: list[Json], depth: int) -> Iterator[str]:
    """What one would pass to pandas to make this frame, or this series, as far as it is known."""
    shown = [_column(column, depth) for column in columns[:MAX_ITEMS]]
    if len(axes) == 1:
        yield shown[0] if shown else UNSHOWN
    else:
        labels = index_elements(axes[0])
        keys = [_render(labels[at], depth + 1) if at < len(labels) else str(at) for at in range(len(shown))]
        pairs = [f"{key}: {items}" for key, items in zip(keys, shown, strict=True)]
        left_out = [f"{UNSHOWN} {len(columns) - MAX_ITEMS} more"] if len(columns) > MAX_ITEMS else []
        yield "{" + ", ".join([*pairs, *left_out]) + "}"
    if axes and (labels := index_elements(axes[-1])):
        yield f"index={_container('list', list(labels), depth + 1)}"
    match more:
        case [_, ["items", *state]]:
            held = zip(state[::2], state[1::2], strict=False)
            yield from (
                f"name={_render(value, depth + 1)}" for key, value in held if key == "_name" and value is not None
            )


def _column(column: Json, depth: int) -> str:
    items, length = column_elements(column)[1][:MAX_ITEMS], column_length(column)
    if length is None or (length and not items):
        return UNSHOWN
    more = [f"{UNSHOWN} {length - len(items)} more"] if length > len(items) else []
    return f"[{', '.join([*(_render(item, depth + 1) for item in items), *more])}]"


def _named(state: list[Json], depth: int) -> Iterator[str]:
    for name, value in zip(state[: 2 * MAX_ITEMS : 2], state[1 : 2 * MAX_ITEMS : 2], strict=False):
        yield f"{short_name(name)}={_render(value, depth + 1)}"


def _ending(ending: Json, depth: int) -> str:
    match ending:
        case ["ending", ["raised", error]]:
            return f", then raised {_render(error, depth + 1)}"
        case _:
            return ""


def _text(start: str, length: int) -> str:
    shown = _printable(_decomposed_escaped(repr(start[:MAX_TEXT])), 4 * MAX_TEXT)
    return shown if length <= MAX_TEXT else f"{shown[:-1]}{UNSHOWN}{shown[-1]} ({length} characters)"


def _decomposed_escaped(shown: str) -> str:
    r"""A text with the marks escaped that are a part of the letter before them in its other spelling.

    `\xe1` and `a\u0301` look alike, and are two texts.
    """
    if unicodedata.is_normalized("NFC", shown):
        return shown
    escaped = (each.encode("unicode_escape").decode() if unicodedata.combining(each) else each for each in shown)
    return "".join(escaped)


def _bytes(tag: str, data: str, length: int) -> str:
    shown = repr(data[:MAX_TEXT].encode("latin-1", "replace"))
    if length > MAX_TEXT:
        shown = f"{shown[:-1]}{UNSHOWN}{shown[-1]} ({length} bytes)"
    return shown if tag == "bytes" else f"bytearray({shown})"


def _printable(text: str, most: int) -> str:
    shown = visible(text[:most])
    return shown if len(text) <= most and len(shown) <= most else shown[:most] + UNSHOWN

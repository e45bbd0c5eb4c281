"""Python values as JSON with tags, and back: one text for each value, so that equal texts are equal values.

Numbers, texts, lists, True, False and None are what JSON has for them; all else is an object with a tag. The elements
of a set are sorted, the keys of a dictionary stay in their order. What is not known here becomes an `Opaque`, which
equals nothing.
"""

from __future__ import annotations

import json
import math
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

LARGEST_PLAIN = 2**63  # larger integers are written in hexadecimal, for Python has a limit for decimals
MOST_NODES = 200_000  # of a linked list or a tree
OPAQUE = '{"o":'  # how an opaque value begins in a text; within texts, quotes are escaped
_CONTAINERS: dict[str, Any] = {kind.__name__: kind for kind in (Counter, OrderedDict, defaultdict, deque)}


class ListNode:
    """A node of a linked list, as LeetCode defines it."""

    def __init__(self, val: object = 0, next: ListNode | None = None) -> None:  # noqa: A002 - LeetCode's name
        self.val = val
        self.next = next


class TreeNode:
    """A node of a binary tree, as LeetCode defines it."""

    def __init__(self, val: object = 0, left: TreeNode | None = None, right: TreeNode | None = None) -> None:
        self.val = val
        self.left = left
        self.right = right


class Opaque:
    """A value that cannot be told; it equals nothing but itself."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


class Expression:
    """A value as a Python expression, which is evaluated in a sandbox, and only where it is to be (`calling.py`)."""

    def __init__(self, text: str, seed: int) -> None:
        self.text = text
        self.seed = seed

    def encoded(self) -> str:
        """The text of it."""
        return json.dumps({"e": self.text, "seed": self.seed}, separators=(",", ":"))


def encode(value: object) -> str:
    """The text of a value, on one line and in ASCII."""
    try:
        return json.dumps(_told(value), separators=(",", ":"), allow_nan=False)
    except RecursionError:
        return json.dumps({"o": "nested too deeply"}, separators=(",", ":"))


def decode(text: str | bytes) -> Any:
    """The value of a text.

    Raises:
        ValueError: it is no text of a value.
        RecursionError: it is nested too deeply.
    """
    return _value(json.loads(text))


def _told(value: Any) -> object:
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return _integer(value)
    if kind is float:
        return value if math.isfinite(value) else {"f": repr(value)}
    if kind is list:
        return _elements(value)
    tell = _TELLERS.get(kind) or _NODES.get(kind.__name__)
    return {"o": kind.__name__[:100]} if tell is None else tell(value)


def _integer(value: int) -> object:
    return value if -LARGEST_PLAIN < value < LARGEST_PLAIN else {"i": hex(value)}


def _elements(values: list[Any]) -> list[Any]:
    kinds = set(map(type, values))
    if kinds <= {str, bool, type(None)} or (kinds == {float} and all(map(math.isfinite, values))):
        return values
    if kinds == {int} and min(values) > -LARGEST_PLAIN and max(values) < LARGEST_PLAIN:
        return values
    return [_told(each) for each in values]


def _set(values: set[Any] | frozenset[Any]) -> list[object]:
    return sorted((_told(each) for each in values), key=json.dumps)


def _linked(node: object) -> object:
    found: list[object] = []
    places: dict[int, int] = {}
    here = node
    while here is not None:
        if id(here) in places:
            return {"l": found, "back": places[id(here)]}
        if type(here).__name__ != "ListNode" or len(found) >= MOST_NODES:
            return {"o": "ListNode"}
        places[id(here)] = len(found)
        found.append(_told(getattr(here, "val", None)))
        here = getattr(here, "next", None)
    return {"l": found}


def _tree(root: object) -> object:
    found: list[object] = []
    level = [root]
    for node in level:
        if node is None:
            found.append(None)
            continue
        if type(node).__name__ != "TreeNode" or len(level) > MOST_NODES:
            return {"o": "TreeNode"}
        found.append([_told(getattr(node, "val", None))])
        level += [getattr(node, "left", None), getattr(node, "right", None)]
    while found[-1] is None:
        found.pop()
    return {"n": found}


_TELLERS: dict[type, Any] = {
    tuple: lambda value: {"t": _elements(list(value))},
    dict: lambda value: {"d": [[_told(key), _told(each)] for key, each in value.items()]},
    set: lambda value: {"s": _set(value)},
    frozenset: lambda value: {"fs": _set(value)},
    bytes: lambda value: {"b": value.hex()},
    bytearray: lambda value: {"ba": value.hex()},
    complex: lambda value: {"c": [_told(value.real), _told(value.imag)]},
    range: lambda value: {"r": [_integer(each) for each in (value.start, value.stop, value.step)]},
    deque: lambda value: {"k": ["deque", _elements(list(value))]},
    **{
        kind: lambda value, name=kind.__name__: {"k": [name, _told(dict(value))]}
        for kind in (Counter, OrderedDict, defaultdict)
    },
}
_NODES: dict[str, Any] = {"ListNode": _linked, "TreeNode": _tree}


def _value(told: Any) -> Any:
    if isinstance(told, list):
        return [_value(each) for each in told]
    if not isinstance(told, dict):
        return told
    read = _READERS.get(next(iter(told), ""))
    if read is None:
        raise ValueError("this has no tag that is known: " + str(list(told))[:100])
    return read(told)


def _known(told: list[Any]) -> object:
    name, content = told
    if name == "deque":
        return deque(_value(content))
    kind = _CONTAINERS[str(name)]
    return kind(None, _value(content)) if kind is defaultdict else kind(_value(content))


def _linked_nodes(told: dict[str, Any]) -> object:
    nodes = [ListNode(_value(each)) for each in told["l"]]
    for place in range(1, len(nodes)):
        nodes[place - 1].next = nodes[place]
    if "back" in told:
        nodes[-1].next = nodes[told["back"]]
    return nodes[0] if nodes else None


def _tree_nodes(told: dict[str, Any]) -> object:
    nodes = [None if each is None else TreeNode(_value(each[0])) for each in told["n"]]
    children = iter(nodes[1:])
    for node in nodes:
        if node is not None:
            node.left, node.right = next(children, None), next(children, None)
    return nodes[0] if nodes else None


_READERS: dict[str, Any] = {
    "t": lambda told: tuple(map(_value, told["t"])),
    "d": lambda told: {_value(key): _value(each) for key, each in told["d"]},
    "s": lambda told: set(map(_value, told["s"])),
    "fs": lambda told: frozenset(map(_value, told["fs"])),
    "i": lambda told: int(told["i"], 16),
    "f": lambda told: float(told["f"]),
    "c": lambda told: complex(*map(_value, told["c"])),
    "b": lambda told: bytes.fromhex(told["b"]),
    "ba": lambda told: bytearray.fromhex(told["ba"]),
    "r": lambda told: range(*map(_value, told["r"])),
    "k": lambda told: _known(told["k"]),
    "l": _linked_nodes,
    "n": _tree_nodes,
    "o": lambda told: Opaque(told["o"]),
    "e": lambda told: Expression(told["e"], told["seed"]),
}

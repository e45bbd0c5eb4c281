"""What the encoder is given beside plain values: lists with a tag, drained iterators, text that is encoded already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Sequence

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there


class Tree:
    """A list with a tag, made by ourselves. Each child of an `OUTCOME` has a budget of its own."""

    __slots__ = ("children", "tag")

    def __init__(self, tag: str, *children: object) -> None:
        self.tag = tag
        self.children = children


class Drained:
    """What an iterator, generator or coroutine gave: `kind` is its type, `ending` a value (or tree) told at the end.

    `notes` tell what happened on the way; `source` is what the items came from, kept as long as they are.
    """

    __slots__ = ("ending", "items", "kind", "notes", "source")

    def __init__(
        self, kind: str, items: List[Any], ending: object, notes: Sequence[Any] = (), source: object = None
    ) -> None:
        self.kind = kind
        self.items = items
        self.ending = ending
        self.notes = list(notes)
        self.source = source


class Later:
    """A child that is made when its turn has come, after what stands before it was drained."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], object]) -> None:
        self.make = make


class Items:
    """A list of ours that is not a value: it is neither numbered nor told from a tuple."""

    __slots__ = ("values",)

    def __init__(self, values: List[Any]) -> None:
        self.values = values


class Encoded:
    """Text that is an encoding already."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Floats:
    """Elements of an array: their type as numpy writes it, and their bytes."""

    __slots__ = ("code", "data")

    def __init__(self, code: str, data: bytes) -> None:
        self.code = code
        self.data = data


class Counting:
    """Counts what passes."""

    def __init__(self, inner: Iterator[Any]) -> None:
        self._inner = inner
        self.count = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        value = next(self._inner)
        self.count += 1
        return value

"""Copies the items of iterators that a recorded call is given, as the function takes them.

No copy can be made of a generator, nor of what `map`, `zip` or `itertools` make of one. So the function gets a
stand-in, which hands on the items of the real one and pickles each before the function can change it. The blob of the
call has a list's iterator over these items in that place.

What a replay cannot have: an item that is the same object as another item or as a part of another argument is a copy
of its own there, and a generator's `send`, `throw` and `close` are missing. While the function works, what the iterator
itself calls counts as called by the function, like any callback of the caller's: it is not recorded.
"""

from __future__ import annotations

import time
from types import GeneratorType
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ....sandbox.driver.call_blobs import NotCopyable, dump_item, is_copyable, with_items
from .taken_items import stand_in

MORE_ITEMS = 3  # that a replay finds behind those that were taken
TOO_LARGE = "the items that the function takes of an iterator are too large together"
Argument = Any  # the index or the name of an argument


class GivenIterators:
    """The iterators among the arguments of one call, each with one that stands in for it.

    `args` and `kwargs` are for the function, `empty_args` and `empty_kwargs` for a blob that is made before the call.
    """

    def __init__(self, args: Sequence[Any], kwargs: Mapping[str, Any], local: Any) -> None:
        """`local` is as for `taken_items.follow`."""
        self._copies: Dict[Argument, _Copies] = {}
        self._by_id: Dict[int, Tuple[_Copies, Any]] = {}
        self.args, self.kwargs = list(args), dict(kwargs)
        self.empty_args, self.empty_kwargs = list(args), dict(kwargs)
        for number, value in enumerate(args):
            if _cannot_be_copied(value):
                copies, self.args[number] = self._stand_in(number, value, local)
                self.empty_args[number] = copies.placeholder
        for name, value in kwargs.items():
            if _cannot_be_copied(value):
                copies, self.kwargs[name] = self._stand_in(name, value, local)
                self.empty_kwargs[name] = copies.placeholder

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._copies)

    @property
    def copying_s(self) -> float:
        """The time that copying took."""
        return sum(copies.copying_s for copies, _ in self._by_id.values())

    @property
    def is_untouched(self) -> bool:
        """Whether nothing was asked of any of them."""
        return all(copies.is_untouched for copies in self._copies.values())

    def allow(self, most_bytes: int) -> None:
        """Copy items of no more bytes than this, of all iterators together."""
        room = _Room(most_bytes)
        for copies in self._copies.values():
            copies.room = room

    def stop(self) -> None:
        """Copy no more: the call is over. What the function has kept hands on its items as before."""
        for copies in self._copies.values():
            copies.stop()

    def put_into(self, blob: bytes, most_bytes: int) -> bytes:
        """The blob of the call with the items in it.

        Where there may be more items than were taken, the first ones follow once more: a rewrite that takes more than
        the original leaves fewer of them. No more are taken of the real iterator, which may never end.

        Raises:
            NotCopyable: one of the items cannot be, or the blob takes more than `most_bytes`.
        """
        reason = next((copies.reason for copies in self._copies.values() if copies.reason), None)
        if reason is not None:
            raise NotCopyable(reason)
        made = with_items(blob, {argument: copies.all_items() for argument, copies in self._copies.items()})
        if len(made) > most_bytes:
            raise NotCopyable(TOO_LARGE)
        return made

    def _stand_in(self, argument: Argument, iterator: Any, local: Any) -> Tuple[_Copies, Any]:
        """The same one for the same iterator: callers may give one twice, to take turns."""
        if id(iterator) not in self._by_id:
            copies = _Copies()
            is_generator = type(iterator) is GeneratorType
            standing_in = stand_in(iterator, copies, local) if is_generator else _Iterator(iterator, copies)
            self._by_id[id(iterator)] = copies, standing_in
        self._copies[argument] = self._by_id[id(iterator)][0]
        return self._by_id[id(iterator)]


class _Room:
    """How many bytes are left for copies."""

    def __init__(self, most_bytes: int) -> None:
        self.bytes_left = most_bytes


class _Copies:
    """Pickles the items of one iterator. `reason` says why it cannot, if so."""

    def __init__(self) -> None:
        self.placeholder: Any = iter([])
        self.room = _Room(0)
        self.reason: Optional[str] = None
        self.copying_s = 0.0
        self.is_over = False
        self._items: List[bytes] = []
        self._is_exhausted = False

    @property
    def closes(self) -> bool:
        """While the call goes on, its stand-in is closed by the function alone; later perhaps since nobody holds it."""
        return not self.is_over

    @property
    def is_untouched(self) -> bool:
        return not (self._items or self._is_exhausted or self.reason)

    def take(self, item: Any) -> None:
        if self.is_over or self.reason:
            return
        started_s = time.monotonic()
        try:
            self._items.append(dump_item(item))
            self.room.bytes_left -= len(self._items[-1])
        except Exception as error:  # noqa: BLE001 - copying runs code of the user's, which may raise anything
            self.reason = "an item that the function takes of an iterator: %s" % error
        if self.room.bytes_left < 0:
            self.reason = TOO_LARGE
        if self.reason:
            self._items.clear()
        self.copying_s += time.monotonic() - started_s

    def end(self, *, exhausted: bool) -> None:
        self._is_exhausted = self._is_exhausted or (exhausted and not self.is_over)

    def stop(self) -> None:
        self.is_over = True
        self._items = []

    def all_items(self) -> List[bytes]:
        return self._items + ([] if self._is_exhausted else self._items[:MORE_ITEMS])


class _Iterator:
    """Stands in for an iterator that is no generator."""

    __slots__ = ("_copies", "_next")

    def __init__(self, iterator: Any, copies: _Copies) -> None:
        self._next: Callable[[], Any] = iterator.__next__
        self._copies = copies

    def __iter__(self) -> _Iterator:
        return self

    def __next__(self) -> Any:
        try:
            item = self._next()
        except BaseException:
            self._copies.end(exhausted=True)
            raise
        self._copies.take(item)
        return item


def _cannot_be_copied(value: Any) -> bool:
    """Whether it is a generator, or another of Python's own iterators that no copy can be made of.

    What offers more than its items, as a file does, is none of them.
    """
    kind = type(value)
    if kind is GeneratorType:
        return True
    if kind.__module__ not in ("builtins", "itertools") or not hasattr(kind, "__next__"):
        return False
    public = {name for name in dir(kind) if not name.startswith("_")}
    return public <= {"from_iterable"} and not is_copyable(value)

"""Copies the items of iterators that a recorded call is given, as the function takes them.

No copy can be made of a generator, nor of what `map`, `zip` or `itertools` make of one. So the function gets a
stand-in, which hands on the items of the real one and pickles each before the function can change it. The blob of the
call has a list's iterator over these items in that place.

What a replay cannot have: an item that is the same object as another item or as a part of another argument is a copy
of its own there. A call that uses more of a generator than its items (`send`, `throw`, `close`) is left out.

While the function works, what the iterator itself calls counts as called by the function, like any callback of the
caller's: it is not recorded.
"""

from __future__ import annotations

import inspect
import sys
import time
from types import GeneratorType
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ....sandbox.driver.call_blobs import NotCopyable, dump_item, is_copyable, with_items
from .taken_items import passes_on

MORE_ITEMS = 3  # that a replay finds behind those that were taken
TOO_LARGE = "the items that the function takes of an iterator are too large together"
Argument = Any  # the index or the name of an argument


class GivenIterators:
    """The iterators among the arguments of one call, each with one that stands in for it.

    `args` and `kwargs` are for the function, `empty_args` and `empty_kwargs` for a blob that is made before the call.
    """

    def __init__(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self._copies: Dict[Argument, _Copies] = {}
        self._room = _Room(0)
        self._stand_ins: Dict[int, _Iterator] = {}  # by the id of the real one, which they keep alive
        self.args, self.kwargs = list(args), dict(kwargs)
        self.empty_args, self.empty_kwargs = list(args), dict(kwargs)
        for number, value in enumerate(args):
            if _cannot_be_copied(value):
                self.args[number], self.empty_args[number] = self._stand_in(number, value)
        for name, value in kwargs.items():
            if _cannot_be_copied(value):
                self.kwargs[name], self.empty_kwargs[name] = self._stand_in(name, value)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._copies)

    @property
    def copying_s(self) -> float:
        """The time that copying took."""
        return sum(copies.copying_s for copies in set(self._copies.values()))

    @property
    def copied_bytes(self) -> int:
        """How much the copies take that are kept."""
        return 0 if any(copies.reason for copies in self._copies.values()) else self._room.bytes_taken

    @property
    def is_untouched(self) -> bool:
        """Whether nothing was asked of any of them."""
        return all(copies.is_untouched for copies in self._copies.values())

    def original(self, result: Any) -> Any:
        """The iterator itself if the function returns what stands in for it, and all other results as they are."""
        return next((each.given_iterator for each in self._stand_ins.values() if each is result), result)

    def release(self) -> None:
        """Hold no argument any longer: the function and the caller alone decide how long it lives."""
        self._stand_ins = {}
        self.args, self.kwargs, self.empty_args, self.empty_kwargs = [], {}, [], {}

    def allow(self, most_bytes: int) -> None:
        """Copy items of no more bytes than this, of all iterators together."""
        self._room = _Room(most_bytes)
        for copies in self._copies.values():
            copies.room = self._room

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

    def _stand_in(self, argument: Argument, iterator: Any) -> Tuple[_Iterator, Any]:
        """What stands in for it in the call and in the blob. Callers may give one twice, to take turns."""
        if id(iterator) not in self._stand_ins:
            kind = _Generator if type(iterator) is GeneratorType else _Iterator
            self._stand_ins[id(iterator)] = kind(iterator, _Copies())
        standing_in = self._stand_ins[id(iterator)]
        self._copies[argument] = standing_in.item_copies
        return standing_in, standing_in.item_copies.placeholder


class _Room:
    """How many bytes copies take, and may take."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes, self.bytes_taken = most_bytes, 0


class _Copies:
    """Pickles the items of one iterator. `reason` says why the call has to be left out, if so."""

    def __init__(self) -> None:
        self.placeholder: Any = iter([])
        self.room = _Room(0)
        self.reason: Optional[str] = None
        self.copying_s = 0.0
        self._is_over = False
        self._items: List[bytes] = []
        self._is_exhausted = False

    @property
    def is_untouched(self) -> bool:
        return not (self._items or self._is_exhausted or self.reason)

    def take(self, item: Any) -> None:
        if self._is_over or self.reason:
            return
        started_s = time.monotonic()
        try:
            self._items.append(dump_item(item))
            self.room.bytes_taken += len(self._items[-1])
        except Exception as error:  # noqa: BLE001 - copying runs code of the user's, which may raise anything
            self._leave_out("an item that the function takes of an iterator: %s" % error)
        if self.room.bytes_taken > self.room.most_bytes:
            self._leave_out(TOO_LARGE)
        self.copying_s += time.monotonic() - started_s

    def refuse(self, name: str) -> None:
        """The function uses this attribute of the iterator, which a list's iterator lacks."""
        self._leave_out("the function uses `%s` of a generator, which a replay does not have" % name)

    def end(self) -> None:
        """There are no more items."""
        self._is_exhausted = self._is_exhausted or not self._is_over

    def stop(self) -> None:
        self._is_over = True
        self._items = []

    def _leave_out(self, reason: str) -> None:
        if not (self._is_over or self.reason):
            self.reason, self._items = reason, []

    def all_items(self) -> List[bytes]:
        return self._items + ([] if self._is_exhausted else self._items[:MORE_ITEMS])


class _Iterator:
    """Stands in for an iterator, and leaves it open when nobody holds the stand-in any longer."""

    __slots__ = ("__weakref__", "_next", "given_iterator", "item_copies")

    def __init__(self, iterator: Any, copies: _Copies) -> None:
        self.given_iterator, self.item_copies = iterator, copies
        self._next: Callable[[], Any] = iterator.__next__

    def __iter__(self) -> _Iterator:
        return self

    def __next__(self) -> Any:
        try:
            item = self._next()
        except BaseException:
            self.item_copies.end()
            raise
        self.item_copies.take(item)
        return item

    # `isinstance(rows, GeneratorType)` is for many functions the way to tell a generator from a list.
    __class__ = property(lambda self: type(self.given_iterator))

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.given_iterator, name)
        self.item_copies.refuse(name)
        return value

    def __reduce_ex__(self, protocol: Any) -> Any:
        self.item_copies.refuse("__reduce_ex__")  # what is taken of a copy of it would not be seen
        return self.given_iterator.__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return repr(self.given_iterator)


class _Generator(_Iterator):
    """Stands in for a generator, started or not."""

    __slots__ = ()

    def send(self, value: Any) -> Any:
        self.item_copies.refuse("send")
        return self.given_iterator.send(value)

    def throw(self, *error: Any) -> Any:
        self.item_copies.refuse("throw")
        return self.given_iterator.throw(*error)

    def close(self) -> Any:
        # Python itself closes what a result that is closed yields from, if it can be closed.
        if not passes_on(sys._getframe().f_back):  # noqa: SLF001 - the only way to know who asks
            self.item_copies.refuse("close")
        return self.given_iterator.close()


def _cannot_be_copied(value: Any) -> bool:
    """Whether it is a generator, or another of Python's own iterators that no copy can be made of.

    What offers more than its items, as a file does, is none of them, nor is what `itertools.tee` gives: it can be split
    again.
    """
    kind = type(value)
    if kind is GeneratorType:
        return not value.gi_code.co_flags & inspect.CO_ITERABLE_COROUTINE  # `await` takes no other kind
    if kind.__module__ not in ("builtins", "itertools") or not hasattr(kind, "__next__"):
        return False
    if hasattr(kind, "__copy__"):
        return False
    public = {name for name in dir(kind) if not name.startswith("_")}
    return public <= {"from_iterable"} and not is_copyable(value)

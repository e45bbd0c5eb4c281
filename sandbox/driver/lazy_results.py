"""Runs what a call gives lazily, so that no work hides in it, and notes what happens when.

A caller of a generator can tell when it does its work: what it prints, and what it changes in the arguments or in the
module, before the first item, between two of them, or at the end. So how much was printed is noted at the return and
after 1, 2, 4, 8, … items, and what arguments and globals are at the return and after the first of these.
"""

from __future__ import annotations

from itertools import islice
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Tuple

from . import encoding_parts, type_plans

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

DRAIN_LIMIT = 1_000_000  # items taken from an iterator that a call returns
INNER_DRAIN_LIMIT = 100_000  # and from one inside some other value, such as a counter that never ends
_STATES = 7  # looks at arguments and globals for each call: at the return and after 1, 2, 4, … 32 items

# By identity, since a metaclass may hash as it likes; kept, since it is asked within the measured time.
_lazy_types: Dict[int, Tuple[bool, type]] = {}


class Drainer:
    """Drains iterators, generators and coroutines of one call after the other."""

    def __init__(
        self, written: Callable[[], Tuple[int, int]], clocks: Tuple[Callable[[], int], Callable[[], int]]
    ) -> None:
        """`written` tells how much was printed, to stdout and stderr; `clocks` are of CPU and wall time, in ns."""
        self._written = written
        self._cpu_now, self._wall_now = clocks
        self._state: Callable[[], Optional[str]] = lambda: None
        self._states_left = 0
        self.most_items = DRAIN_LIMIT
        self.breaks_off = False
        self.has_drained = False
        self.paused_cpu = self.paused_wall = 0  # ns that were spent on noting, which are no time of the call

    def begin(self, state: Callable[[], Optional[str]]) -> None:
        """Before each call; `state` digests what its arguments and globals are at the moment."""
        self._state = state
        self._states_left = _STATES
        self.has_drained = False
        self.paused_cpu = self.paused_wall = 0

    def settle(self, result: Any, limit: Optional[int] = None) -> Any:
        """Run what is lazy to its end, or until it has given so many items."""
        if limit is None:
            limit = self.most_items
        kind = type(result)
        if kind is CoroutineType:
            import asyncio  # noqa: PLC0415 - loaded already if the source has a word of it

            return encoding_parts.Drained("coroutine", [self.settle(asyncio.run(result))], "returned")
        if kind is AsyncGeneratorType:
            import asyncio  # noqa: PLC0415 - likewise

            notes: List[Any] = []
            self._note(notes, 0)
            return asyncio.run(self._drain_async(result, limit, notes))
        return self._drain(result, limit) if _is_lazy(kind) else result

    def drain_inner(self, iterator: Any) -> Any:
        """The same for an iterator that was found inside a value."""
        settled = self.settle(iterator, INNER_DRAIN_LIMIT)
        if type(settled) is encoding_parts.Drained:
            return settled
        return encoding_parts.Drained("nothing", [], "exhausted")

    def _drain(self, iterator: Any, limit: int) -> Any:
        """Take items in ever longer runs; an exception on the way is part of what the iterator gave."""
        items: List[Any] = []
        notes: List[Any] = []
        returned: List[Any] = []
        source: Any = _through(iterator, returned) if type(iterator) is GeneratorType else iterator
        ending: object = "more"
        self._note(notes, 0)
        try:
            while len(items) < limit:
                wanted = min(max(len(items), 1), limit - len(items))
                before = len(items)
                items.extend(islice(source, wanted))
                self._note(notes, len(items))
                if len(items) - before < wanted:
                    value = returned[0] if returned else None
                    ending = "exhausted" if value is None else encoding_parts.Tree("gave", value)
                    break
            if self.breaks_off and ending == "more" and type(iterator) is GeneratorType:
                source.close()
                ending = "closed"
        except BaseException as error:  # noqa: BLE001 - whatever user code raises is what a caller would meet
            ending = encoding_parts.Tree("raised", error)
        # What was cut off and not closed is kept: to end it would run what it has to do at its end.
        return encoding_parts.Drained(type_plans.class_name(type(iterator)), items, ending, notes, source)

    async def _drain_async(self, generator: Any, limit: int, notes: List[Any]) -> Any:
        items: List[Any] = []
        ending: object = "exhausted"
        try:
            async for item in generator:
                items.append(item)
                if len(items) == limit:
                    ending = "more"
                    break
        except BaseException as error:  # noqa: BLE001 - as for any iterator
            ending = encoding_parts.Tree("raised", error)
        return encoding_parts.Drained("async generator", items, ending, notes)

    def _note(self, notes: List[Any], taken: int) -> None:
        """Note what is new since the last time: how much was printed, and at first what arguments and globals are."""
        self.has_drained = True
        cpu, wall = self._cpu_now(), self._wall_now()
        written = self._written()
        if written != (notes[-1][1:3] if notes else (0, 0)):
            notes.append((taken, *written))
        if self._states_left > 0:
            self._states_left -= 1
            notes.append((taken, *written, self._state()))
        self.paused_cpu += self._cpu_now() - cpu
        self.paused_wall += self._wall_now() - wall


def _through(generator: Any, returned: List[Any]) -> Iterator[Any]:
    """The items of a generator; the value that it returns, which `yield from` gives a caller, goes into the list."""
    returned.append((yield from generator))


def _is_lazy(kind: type) -> bool:
    known = _lazy_types.get(id(kind))
    if known is None:
        known = _lazy_types[id(kind)] = (type_plans.is_iterator(kind), kind)
    return known[0]

"""Follows generators: that of a recorded call, to count what its caller takes, and one that the call was given."""

from __future__ import annotations

from typing import Any, Callable, Dict, Generator, Protocol

MORE = 1.5  # the count is told again when it has grown by this factor:
MOST_TOLD = 1_000  # a process may end before the generator does, and nobody tells it then


class Follower(Protocol):
    """Is told of what a generator gives. `closes`: whether the generator ends with the one that stands in for it."""

    @property
    def closes(self) -> bool: ...  # noqa: D102 - see above

    def take(self, item: Any) -> None: ...  # noqa: D102 - each item, before it is handed on

    def end(self, *, exhausted: bool) -> None: ...  # noqa: D102 - once, and not if nothing was asked of it


def follow(
    generator: Any, tell: Callable[[Dict[str, Any]], None], local: Any, at_end: Callable[[], None] = lambda: None
) -> Any:
    """A generator that does what the given one does.

    Args:
        generator: not yet started.
        tell: is told how many items were taken so far, and at last whether there were no more.
        local: its attribute `inside` is true while the generator works: what it calls is no call from outside.
        at_end: is called before `tell` is told for the last time.
    """
    return stand_in(generator, _Use(tell, at_end), local)


def stand_in(generator: Any, follower: Follower, local: Any) -> Any:
    """A generator that passes everything on to the given one, and tells the follower; `local` is as for `follow`."""
    following: Any = _following(generator, follower, local)
    following.__name__, following.__qualname__ = generator.__name__, generator.__qualname__
    return following


class _Use:
    """Counts the items that a caller takes."""

    closes = True  # nobody else holds a generator that a call gave

    def __init__(self, tell: Callable[[Dict[str, Any]], None], at_end: Callable[[], None]) -> None:
        self._tell, self._at_end = tell, at_end
        self._taken, self._next_told = 0, 1

    def take(self, _item: Any) -> None:
        self._taken += 1
        if self._next_told <= self._taken <= MOST_TOLD:
            self._tell({"items": self._taken, "exhausted": False})
            self._next_told = int(self._taken * MORE) + 1

    def end(self, *, exhausted: bool) -> None:
        self._at_end()
        self._tell({"items": self._taken, "exhausted": exhausted})


def _following(generator: Any, follower: Follower, local: Any) -> Generator[Any, Any, Any]:
    exhausted = True
    step, argument = generator.send, None
    try:
        while True:
            was_inside = getattr(local, "inside", False)
            local.inside = True
            try:
                item = step(argument)
            except StopIteration as end:
                return end.value
            finally:
                local.inside = was_inside
            follower.take(item)
            try:
                step, argument = generator.send, (yield item)
            except GeneratorExit:
                exhausted = False
                if follower.closes:
                    generator.close()
                raise
            except BaseException as error:  # noqa: BLE001 - whatever the caller throws in is for the generator
                step, argument = generator.throw, error
    finally:
        follower.end(exhausted=exhausted)

"""Follows a generator that a recorded call gives its caller, and tells how many items the caller takes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, Optional

if TYPE_CHECKING:
    from types import FrameType

MORE = 1.5  # the count is told again when it has grown by this factor:
MOST_TOLD = 1_000  # a process may end before the generator does, and nobody tells it then


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
    following: Any = _following(generator, tell, local, at_end)
    following.__name__, following.__qualname__ = generator.__name__, generator.__qualname__
    return following


def passes_on(frame: Optional[FrameType]) -> bool:
    """Whether a frame is that of a generator that `follow` made: it only passes on what its caller does."""
    return frame is not None and frame.f_code is _following.__code__


def _following(
    generator: Any, tell: Callable[[Dict[str, Any]], None], local: Any, at_end: Callable[[], None]
) -> Generator[Any, Any, Any]:
    taken, next_told, exhausted = 0, 1, True
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
            taken += 1
            if next_told <= taken <= MOST_TOLD:
                tell({"items": taken, "exhausted": False})
                next_told = int(taken * MORE) + 1
            try:
                step, argument = generator.send, (yield item)
            except GeneratorExit:
                exhausted = False
                generator.close()
                raise
            except BaseException as error:  # noqa: BLE001 - whatever the caller throws in is for the generator
                step, argument = generator.throw, error
    finally:
        at_end()
        tell({"items": taken, "exhausted": exhausted})

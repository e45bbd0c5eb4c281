"""Work in a thread of its own, for which the event loop waits and the end of the process does not."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


def begin_in_thread(work: Callable[[], Result], name: str) -> tuple[threading.Thread, asyncio.Future[Result]]:
    """Begin it. Whatever it raises is raised where its result is awaited."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def tell(settle: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody waits any more
            loop.call_soon_threadsafe(lambda: None if done.done() else settle())

    def target() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            tell(partial(done.set_exception, error))
        else:
            tell(partial(done.set_result, result))

    thread = threading.Thread(target=target, name=name, daemon=True)
    thread.start()
    return thread, done

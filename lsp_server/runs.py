"""The runs that are waiting or going on: one after the other, one for a function, each can be cancelled at any time."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from afterburner import agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.agent import CancelToken

Result = TypeVar("Result")
_END_S = 1.5  # how long a run that was cancelled may take to stop everything, when the server ends


@dataclass(eq=False, slots=True)
class Run:
    """One run: what it is of, and what ends it."""

    uri: str
    function: str | None  # None: the hottest of the file
    token: str  # of its progress
    cancel: CancelToken
    thread: threading.Thread | None = None


@dataclass(slots=True)
class Runs:
    """All runs of the server. Its methods belong to the thread of the server's loop."""

    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _active: list[Run] = field(default_factory=list)

    def find(self, uri: str, function: str | None) -> Run | None:
        """The run of a function that waits or goes on."""
        return next((each for each in self._active if (each.uri, each.function) == (uri, function)), None)

    @contextlib.contextmanager
    def begun(self, run: Run) -> Iterator[Run]:
        """Count a run among those that wait or go on, while the block lasts."""
        self._active.append(run)
        try:
            yield run
        finally:
            self._active.remove(run)

    async def carry_out(self, run: Run, work: Callable[[], Result]) -> Result:
        """Do the work in a thread of its own, when those that began earlier have ended.

        Raises:
            CancelledError: it was cancelled, perhaps before its turn came.
            Exception: what the work raises.
        """
        loop = asyncio.get_running_loop()
        waiting = asyncio.ensure_future(self._turn.acquire())

        def give_up() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(waiting.cancel)

        with run.cancel.on_cancel(give_up):
            try:
                await waiting
            except asyncio.CancelledError:
                run.cancel.cancel()
                raise agent.CancelledError from None
        try:
            return await self._in_thread(run, work)
        finally:
            self._turn.release()

    async def _in_thread(self, run: Run, work: Callable[[], Result]) -> Result:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Result] = loop.create_future()

        def tell(settle: Callable[[], None]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody waits any more
                loop.call_soon_threadsafe(lambda: None if done.done() else settle())

        def target() -> None:
            try:
                run.cancel.raise_if_cancelled()
                result = work()
            except BaseException as error:  # noqa: BLE001 - raised where it is waited for
                tell(partial(done.set_exception, error))
            else:
                tell(partial(done.set_result, result))

        run.thread = threading.Thread(target=target, name=f"run {run.function}", daemon=True)
        run.thread.start()
        return await done

    def cancel(self, token: object = None) -> bool:
        """Cancel the run of a progress token, or all of them without one; whether there was one."""
        found = [each for each in self._active if token is None or each.token == token]
        for each in found:
            each.cancel.cancel()
        return bool(found)

    def close(self) -> None:
        """Cancel all runs, and wait until they have stopped what they started."""
        running = list(self._active)
        self.cancel()
        for each in running:
            if each.thread is not None:
                each.thread.join(_END_S)

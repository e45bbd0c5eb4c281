"""The runs that are waiting or going on: one after the other, one for a function, each can be cancelled at any time."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from afterburner import agent
from afterburner.lsp_server.threads import begin_in_thread

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Coroutine, Iterator

    from afterburner.agent import CancelToken

Result = TypeVar("Result")
_END_S = 1.5  # how long a run that was cancelled may take to stop everything, when the server ends


@dataclass(eq=False, slots=True)
class Run:
    """One run: what it is of, and what ends it."""

    uri: str
    function: str | None  # None: the hottest of the file
    title: str
    token: str  # of its progress
    cancel: CancelToken
    has_begun: bool = False  # its turn has come


@dataclass(slots=True)
class Runs:
    """All runs of the server. Only the event-loop thread uses it."""

    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _active: list[Run] = field(default_factory=list)
    _threads: list[tuple[CancelToken, threading.Thread]] = field(default_factory=list)

    def find(self, uri: str, function: str | None) -> Run | None:
        """The run of a function that waits or goes on."""
        return next((each for each in self._active if (each.uri, each.function) == (uri, function)), None)

    def is_queued(self, run: Run) -> bool:
        """Whether a run waits for another one to end."""
        return self._turn.locked() and not run.has_begun

    @contextlib.contextmanager
    def begun(self, run: Run) -> Iterator[Run]:
        """Count a run among those that wait or go on, while the block lasts."""
        self._active.append(run)
        try:
            yield run
        finally:
            self._active.remove(run)

    async def carry_out(self, run: Run, prepare: Callable[[], Callable[[], Result]]) -> Result:
        """Wait for the runs that began earlier, then do the work in a thread of its own.

        Args:
            run: which one.
            prepare: gives the work, in the loop's thread and when the turn has come: of the text that there is then.

        Raises:
            CancelledError: it was cancelled, perhaps before its turn came.
            Exception: what the work raises.
        """
        await self.unless_cancelled(run, self._turn.acquire())
        run.has_begun = True
        try:
            return await self._in_thread(run, prepare())
        finally:
            self._turn.release()

    async def unless_cancelled(self, run: Run, awaited: Coroutine[Any, Any, Result]) -> Result:
        """What is waited for, such as an answer of the client, which may never come.

        Raises:
            CancelledError: the run was cancelled before.
        """
        loop = asyncio.get_running_loop()
        waiting = asyncio.ensure_future(awaited)

        def give_up() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(waiting.cancel)

        with run.cancel.on_cancel(give_up):
            try:
                return await waiting
            except asyncio.CancelledError:
                run.cancel.cancel()
                raise agent.CancelledError from None

    async def _in_thread(self, run: Run, work: Callable[[], Result]) -> Result:
        def unless_cancelled() -> Result:
            run.cancel.raise_if_cancelled()
            return work()

        thread, done = begin_in_thread(unless_cancelled, f"run {run.function}")
        self._threads = [each for each in self._threads if each[1].is_alive()]
        self._threads.append((run.cancel, thread))
        return await done

    def cancel(self, token: object = None) -> bool:
        """Cancel the run of a progress token, or all of them without one; whether there was one."""
        found = [each for each in self._active if token is None or each.token == token]
        for each in found:
            each.cancel.cancel()
        return bool(found)

    def close(self) -> None:
        """Cancel all runs, and wait until they have stopped what they started. The loop may have ended before."""
        for token, _ in self._threads:
            token.cancel()
        for _, thread in self._threads:
            thread.join(_END_S)

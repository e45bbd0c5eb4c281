"""The threads that run tasks for the service: a bounded number that run, a bounded number that wait."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from afterburner.sandbox.errors import CancelledError
from afterburner.sandbox.service.problems import busy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from afterburner.sandbox.cores import Cores
    from afterburner.sandbox.sandbox import Sandbox

    Work = Callable[["Sandbox", int], "_Result"]

_Result = TypeVar("_Result")


class Crew:
    """Runs tasks side by side, each on a core of its own. For one event loop."""

    def __init__(self, sandbox: Sandbox, cores: Cores, *, jobs: int | None, waiting: int) -> None:
        self.jobs = min(jobs or len(cores.slots), len(cores.slots))
        self.bound = waiting
        self.admitted = 0  # requests whose body is read, that wait, that run or whose response is sent
        self.running = 0
        self.is_stopping = False
        self.is_killed = False
        self._counting = threading.Lock()
        self._sandbox = sandbox
        self._cores = cores
        self._branches: set[Sandbox] = set()
        self._idle = asyncio.Event()
        self._idle.set()
        self._pool = ThreadPoolExecutor(self.jobs, thread_name_prefix="service")

    @contextmanager
    def admit(self) -> Iterator[None]:
        """A place among those that run or wait.

        Raises:
            RefusalError: there is none, or the service is stopping.
        """
        if self.is_stopping:
            raise busy("The service is shutting down.")
        if self.admitted >= self.jobs + self.bound:
            raise busy(f"{self.admitted} requests are under way already; try again later.")
        self.admitted += 1
        self._idle.clear()
        try:
            yield
        finally:
            self.admitted -= 1
            if self.admitted == 0:
                self._idle.set()

    async def run(self, work: Work[_Result]) -> _Result:
        """Runs work in a thread, on a sandbox that ends with it. Cancelling kills what runs, and waits for its end.

        Raises:
            RefusalError: the service was stopped meanwhile.
        """
        with self._sandbox.branch() as branch:
            self._branches.add(branch)
            try:
                if self.is_killed:
                    branch.stop()
                return await self._in_thread(branch, work)
            except CancelledError as error:
                raise busy("The service is shutting down.") from error
            finally:
                self._branches.discard(branch)

    async def _in_thread(self, branch: Sandbox, work: Work[_Result]) -> _Result:
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        future = self._pool.submit(self._work, branch, work)

        def tell(_: Future[_Result]) -> None:
            loop.call_soon_threadsafe(ended.set)

        future.add_done_callback(tell)
        try:
            await ended.wait()
        except asyncio.CancelledError:
            branch.stop()
            future.cancel()
            await ended.wait()
            raise
        return future.result()

    def _work(self, branch: Sandbox, work: Work[_Result]) -> _Result:
        with self._cores.lease(lambda: branch.stopped) as cpu, self._counted():
            return work(branch, cpu)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._counting:
            self.running += 1
        try:
            yield
        finally:
            with self._counting:
                self.running -= 1

    def stop(self) -> None:
        """Takes no more work."""
        self.is_stopping = True

    def kill(self) -> None:
        """Ends what runs and what waits at once."""
        self.is_stopping = self.is_killed = True
        for branch in tuple(self._branches):
            branch.stop()

    async def finish(self, grace_s: float) -> None:
        """Waits until nothing is under way any more; what is so after the grace time is killed."""
        self.stop()
        try:
            async with asyncio.timeout(grace_s):
                await self._idle.wait()
        except TimeoutError:
            self.kill()

    def close(self) -> None:
        """Ends the threads."""
        self.kill()
        self._pool.shutdown()

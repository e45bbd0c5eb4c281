"""Many tasks side by side: each on a core of its own, no more of them at once than there are cores, in order."""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from afterburner.sandbox.cores import divide_cores
from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.waiting import result_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from afterburner.sandbox.task import Task
    from afterburner.sandbox.types import Report

_AHEAD = 2  # tasks that are taken from the caller for each that runs: enough that no core waits


class Runner(Protocol):
    """What tasks are run by: `Sandbox`."""

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""

    def stop(self) -> None:
        """Ends whatever runs."""

    def branch(self) -> AbstractContextManager[Runner]:
        """The same again, to be stopped by itself."""

    def run_task(self, task: Task, *, cpu: int | None = None) -> Report:
        """Runs one task."""


def run_many(sandbox: Runner, tasks: Iterable[Task], jobs: int | None) -> Iterator[Report]:
    """The reports in the order of the tasks; see `Sandbox.run_many`."""
    waiting = iter(tasks)
    with _crew(sandbox, jobs) as (executor, work, workers):
        running = deque(executor.submit(work, task) for task in islice(waiting, workers * _AHEAD))
        while running:
            report = result_of(running.popleft())
            running.extend(executor.submit(work, task) for task in islice(waiting, 1))
            yield report


async def run_many_async(sandbox: Runner, tasks: Iterable[Task], jobs: int | None) -> AsyncIterator[Report]:
    """As `run_many`, for an event loop; see `Sandbox.run_many_async`."""
    waiting = iter(tasks)
    with _crew(sandbox, jobs) as (executor, work, workers):
        running = deque(executor.submit(work, task) for task in islice(waiting, workers * _AHEAD))
        while running:
            report = await asyncio.wrap_future(running.popleft())
            running.extend(executor.submit(work, task) for task in islice(waiting, 1))
            yield report


@contextmanager
def _crew(sandbox: Runner, jobs: int | None) -> Iterator[tuple[ThreadPoolExecutor, Callable[[Task], Report], int]]:
    """Threads to run tasks in. Whoever leaves early, by an error or a cancellation, ends what still runs at once."""
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs={jobs}: at least one task has to run at a time.")
    cores = divide_cores()
    workers = min(jobs or len(cores.slots), len(cores.slots))
    with sandbox.branch() as branch:

        def work(task: Task) -> Report:
            with cores.lease(lambda: branch.stopped) as cpu:
                return branch.run_task(task, cpu=cpu)

        executor = ThreadPoolExecutor(workers, thread_name_prefix="sandbox")
        try:
            yield executor, work, workers
        finally:
            branch.stop()
            executor.shutdown(cancel_futures=True)

"""Runs work that needs no quiet core in background threads, on cores that are not used for timing."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

from afterburner.sandbox.cores import keep_to, usable_cpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")


class Ahead(Generic[T]):
    """Tasks for background threads, started in the given order. Made by `ahead`."""

    def __init__(self, tasks: Sequence[Callable[[], T]], at_once: int) -> None:
        self._count = len(tasks)
        self._at_once = at_once
        self._waiting = deque(enumerate(tasks))
        self._done: dict[int, T] = {}
        self._errors: dict[int, BaseException] = {}
        self._threads: list[threading.Thread] = []

    def begin(self, cpus: frozenset[int]) -> None:
        """Do as many tasks at once as there are CPUs among these; nothing yet if there are none."""
        self._begin(cpus, len(cpus))

    def _begin(self, cpus: frozenset[int], at_once: int) -> None:
        before = usable_cpus()
        for _ in range(min(at_once, self._count) - len(self._threads)):
            thread = threading.Thread(target=self._work, name="ahead", daemon=True)
            keep_to(cpus)  # a thread begins on the CPUs of the one that starts it
            try:
                thread.start()
            finally:
                keep_to(before)
            self._threads.append(thread)

    def results(self) -> list[T]:
        """Run the remaining tasks on all CPUs of this thread, and return all results in the order of the tasks.

        `at_once` of them run at the same time. If a task fails, running tasks finish before its error is raised.
        """
        cpus = usable_cpus()
        for thread in self._threads:
            if thread.native_id is not None and thread.is_alive():
                keep_to(cpus, thread.native_id)
        self._begin(cpus, self._at_once)
        self._join()
        for number in sorted(self._errors):
            raise self._errors[number]
        return [self._done[number] for number in range(self._count)]

    def so_far(self) -> list[T]:
        """The results that are there, in the order of the tasks."""
        return [self._done[number] for number in sorted(self._done)]

    def end(self, stop: Callable[[], object]) -> None:
        """Begin no further task; if one still runs, call `stop` and wait for it."""
        self._waiting.clear()
        if any(thread.is_alive() for thread in self._threads):
            stop()
        self._join()

    def _join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while True:
            try:
                number, task = self._waiting.popleft()
            except IndexError:
                return
            try:
                self._done[number] = task()
            except BaseException as error:  # noqa: BLE001 - whoever asks for the results gets it
                self._errors[number] = error
                self._waiting.clear()


@contextmanager
def ahead(
    tasks: Sequence[Callable[[], T]],
    cpus: frozenset[int],
    stop: Callable[[], object],
    *,
    at_once: int,
    stop_at_once: Callable[[], object] = lambda: None,
) -> Iterator[Ahead[T]]:
    """Run tasks in the background while the block runs; none is still running after it.

    Args:
        tasks: what to do.
        cpus: CPUs to use until the results are asked for; if empty, the tasks start only then.
        stop: ends the tasks that run, if their results are not wanted after all.
        at_once: how many tasks may run at the same time once the results are asked for.
        stop_at_once: called before `stop` if the block is interrupted, for example by Ctrl-C.
    """
    work = Ahead(tasks, at_once)
    try:
        work.begin(cpus)
        yield work
    except Exception:
        raise
    except BaseException:
        stop_at_once()
        raise
    finally:
        work.end(stop)

"""Shares the CPUs of this machine among jobs that work at the same time, so that no job disturbs another's timing."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.sandbox.cores import keep_to, usable_cpus
from afterburner.sandbox.errors import CancelledError
from afterburner.sandbox.tracing import core_lane, span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from afterburner.sandbox.cores import BorrowedSlot, Cores

_LOOK_AGAIN_S = 0.01  # for a slot: it may be another process that gives it back


class SharedCpus:
    """Lends CPUs to programs that are not timed: as many at once as there are CPUs, first come, first served.

    They run beside the slots, where they may run while something is timed, or on a slot that nobody times on. A slot
    is borrowed for one program, and whoever waits to time there comes first. So at most one untimed program at a time
    runs on each CPU beside a timed one.
    """

    def __init__(self, cores: Cores) -> None:
        """Share the CPUs that the calling thread may use; `cores` says which of them are for timing."""
        self.cores = cores
        self.cpus = usable_cpus()
        self.beside = cores.beside()
        self._changed = threading.Condition()
        self._free_beside = len(self.beside)
        self._waiting: deque[object] = deque()
        self._of_thread = threading.local()

    @contextmanager
    def one(self, give_up: Callable[[], bool]) -> Iterator[None]:
        """Wait for a CPU; until the block ends, this thread and what it starts keep to it. A second one is the same.

        Raises:
            CancelledError: `give_up` said so.
        """
        if getattr(self._of_thread, "has_one", False):  # such as the program that checks the output of another
            yield
            return
        slot = self._take(give_up)
        before, self._of_thread.has_one = usable_cpus(), True
        try:
            with ExitStack() as stack:
                if slot is None:
                    keep_to(self.beside)
                else:
                    keep_to(self.beside | (slot.cpus & self.cpus))
                    stack.enter_context(span(core_lane(slot.cpu), "borrowed"))
                yield
        finally:
            self._of_thread.has_one = False
            keep_to(before)
            self._give_back(slot)

    def _take(self, give_up: Callable[[], bool]) -> BorrowedSlot | None:
        """A slot, or None for a CPU beside them."""
        ticket = object()
        with self._changed:
            self._waiting.append(ticket)
            try:
                while not give_up():
                    if self._waiting[0] is ticket:
                        if self._free_beside:
                            self._free_beside -= 1
                            return None
                        slot = self.cores.borrow()
                        if slot is not None:
                            return slot
                    self._changed.wait(_LOOK_AGAIN_S)
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()
        raise CancelledError

    def _give_back(self, slot: BorrowedSlot | None) -> None:
        if slot is not None:
            slot.give_back()
        with self._changed:
            self._free_beside += slot is None
            self._changed.notify_all()


@dataclass(frozen=True, slots=True)
class CpuShare:
    """What one job has of the shared CPUs.

    Attributes:
        shared: all of them, for all jobs.
        queued: entered while the job waits for a CPU.
        working: entered while it has one.
    """

    shared: SharedCpus
    queued: Callable[[], AbstractContextManager[None]]
    working: Callable[[], AbstractContextManager[None]]

    @property
    def cpus(self) -> frozenset[int]:
        """The CPUs that its programs may run on."""
        return self.shared.cpus

    @contextmanager
    def one(self, give_up: Callable[[], bool]) -> Iterator[None]:
        """See `SharedCpus.one`."""
        with ExitStack() as stack:
            with self.queued():
                stack.enter_context(self.shared.one(give_up))
            with self.working():
                yield

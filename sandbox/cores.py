"""Which core runs what: every timed program has one to itself, and what watches them keeps to cores of its own."""

from __future__ import annotations

import fcntl
import os
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.errors import SandboxInternalError
from afterburner.sandbox.folders import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_WATCHED_BY_ONE = 7  # programs whose meters, at 1 kHz, one core serves with ease
_TOPOLOGY = Path("/sys/devices/system/cpu")
_RETRY_S = 0.005


@dataclass(frozen=True, slots=True)
class Cores:
    """How the cores that this process may use are divided.

    `slots` are one CPU of each core that programs run on: the second thread of a core shares too much with the first,
    and idles. `watching` are the CPUs for everything else; with a single core it is that one.
    """

    slots: tuple[int, ...]
    watching: frozenset[int]

    @contextmanager
    def lease(self, give_up: Callable[[], bool] = lambda: False) -> Iterator[int]:
        """Waits for a free slot and holds it, against other processes of this user, too.

        Meanwhile the calling thread, and what it starts, keeps to the watching cores.

        Raises:
            SandboxInternalError: `give_up` said so.
        """
        before = usable_cpus()
        cpu, lock = self._take(give_up)
        try:
            _keep_to(self.watching)
            yield cpu
        finally:
            os.close(lock)
            _keep_to(before)

    def _take(self, give_up: Callable[[], bool]) -> tuple[int, int]:
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        while not give_up():
            for cpu in self.slots:
                lock = os.open(folder / f"cpu-{cpu}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(lock)
                else:
                    return cpu, lock
            time.sleep(_RETRY_S)
        raise SandboxInternalError("The sandbox was stopped.")


def divide_cores(cpus: Iterable[int] | None = None) -> Cores:
    """Divides the CPUs given, or those that this process may use."""
    cores: dict[frozenset[int], list[int]] = {}
    for cpu in sorted(usable_cpus() if cpus is None else cpus):
        cores.setdefault(_siblings(cpu), []).append(cpu)
    threads = list(cores.values())
    if len(threads) == 1:
        return Cores((threads[0][-1],), frozenset(threads[0]))
    watchers = -(-len(threads) // (_WATCHED_BY_ONE + 1))
    return Cores(
        slots=tuple(core[0] for core in threads[watchers:]),
        watching=frozenset(cpu for core in threads[:watchers] for cpu in core),
    )


def usable_cpus() -> frozenset[int]:
    """The CPUs that this thread may use."""
    if sys.platform == "linux":
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))  # macOS does not tell, and has its containers in a virtual machine


def _keep_to(cpus: frozenset[int]) -> None:
    if sys.platform == "linux":
        os.sched_setaffinity(0, cpus)  # of this thread, and of what it starts


def _siblings(cpu: int) -> frozenset[int]:
    """The CPUs that are threads of the same core, from a list such as `0-1,8`."""
    try:
        text = (_TOPOLOGY / f"cpu{cpu}/topology/thread_siblings_list").read_text("ascii").strip()
        ranges = [[int(end) for end in part.split("-")] for part in text.split(",")]
    except (OSError, ValueError):
        return frozenset({cpu})
    return frozenset(number for ends in ranges for number in range(ends[0], ends[-1] + 1))

# ruff: noqa: PTH123 - every Python has `open` when it starts; pathlib takes a while
"""Processes that were forked off to take samples: what each is given, what it writes, and what became of it."""

from __future__ import annotations

import os
import select
import signal
import time
from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

if TYPE_CHECKING:
    from . import process_watch

_MAX_SAMPLE_BYTES = 64 * 1024 * 1024
_CHUNK = 1 << 20
_POLL_MS = 2


class Ended(NamedTuple):
    """What became of one child: all it wrote, how it ended, and what it used, in ns."""

    written: bytes
    status: int
    cpu: int
    start: int
    end: int
    queued: int


class Place(NamedTuple):
    """What a child is given: whose sample it is, where it writes, what it waits for, and its place among others."""

    side: Optional[int]  # None of the scout
    writing: int
    waiting: int
    turns: Optional[Tuple[int, int]]
    is_alone: bool
    watch: Optional[process_watch.Watch]


class Child:
    """A process that was forked off, and what it has written so far."""

    def __init__(self, pid: int, reading: int, start: int) -> None:
        """`reading` is the pipe that it writes to, `start` when it began, in ns on CLOCK_MONOTONIC."""
        self.pid = pid
        self.reading = reading
        self.start = start
        self.watched = _descriptor_of(pid)
        self.parts: List[bytes] = []
        self.room = _MAX_SAMPLE_BYTES
        self.is_open = True

    def read(self) -> None:
        """Take what is there to be read."""
        part = os.read(self.reading, _CHUNK)
        self.parts.append(part)
        self.room -= len(part)
        self.is_open = bool(part) and self.room > 0
        if self.room <= 0:
            os.kill(self.pid, signal.SIGKILL)

    def reap(self) -> Ended:
        """What became of it, once it has ended."""
        while self.is_open and select.select([self.reading], [], [], 0)[0]:
            self.read()
        queued = _queued(self.pid)
        _, status, used = os.wait4(self.pid, 0)
        end = time.monotonic_ns()
        self.close()
        cpu = int((used.ru_utime + used.ru_stime) * 1e9)
        return Ended(b"".join(self.parts), status, cpu, self.start, end, queued)

    def close(self) -> None:
        """Give up its descriptors."""
        for descriptor in (self.reading, self.watched):
            if descriptor is not None:
                os.close(descriptor)


def wait_for(children: Sequence[Child], limit_s: float) -> List[Ended]:
    """Read what the children write until each has ended; a process that one left may hold its pipe open.

    After `limit_s` seconds those that still run are ended.
    """
    ended: Dict[int, Ended] = {}
    deadline = time.monotonic() + limit_s
    while len(ended) < len(children):
        running = [child for child in children if child.pid not in ended]
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            for child in running:
                os.kill(child.pid, signal.SIGKILL)
        ready = _ready(running, max(1, int(left_s * 1000)))
        for child in running:
            if child.is_open and child.reading in ready:
                child.read()
            elif _has_ended(child.pid):
                ended[child.pid] = child.reap()
    return [ended[child.pid] for child in children]


def reap_orphans() -> int:
    """Take leave of all processes that have ended and whose own parent did not; how many there were."""
    count = 0
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            count += 1
    except ChildProcessError:
        pass
    return count


def last_task() -> int:
    """The number that the kernel gave to the last thread or process that was started here; 0 if it does not say.

    Numbers are given one after the other, so their difference is how many were started, whatever became of them since.
    """
    try:
        with open("/proc/loadavg", "rb") as file:
            return int(file.read().split()[-1])
    except (OSError, IndexError, ValueError):
        return 0


def tasks_since(last: int, own: int) -> int:
    """How many threads and processes were started since `last_task` said `last`, beside `own` ones; 0 if unknown."""
    now = last_task()
    if not now:
        return 0
    return now - last - own if now >= last else 1  # the numbers have begun anew: many were started


def place_in(ring: Sequence[Tuple[int, int]], place: int) -> Tuple[int, int]:
    """The two descriptors of a ring of pipes that belong to a place in it; the others are closed."""
    reading, writing = ring[place][0], ring[(place + 1) % len(ring)][1]
    for descriptor in (end for pipe in ring for end in pipe):
        if descriptor not in (reading, writing):
            os.close(descriptor)
    return reading, writing


def _ready(children: Sequence[Child], left_ms: int) -> Set[int]:
    """Which descriptors have something to read, or belong to a process that has ended."""
    poll = select.poll()
    for child in children:
        if child.is_open:
            poll.register(child.reading, select.POLLIN)
        if child.watched is not None:
            poll.register(child.watched, select.POLLIN)
    can_tell = all(child.watched is not None for child in children)
    return {each for each, _ in poll.poll(left_ms if can_tell else _POLL_MS)}


def _queued(pid: int) -> int:
    """For how many ns a process that has ended could have run and did not get a core; 0 where the kernel keeps it back.

    Of its first thread alone: of a process that computed in others it says nothing.
    """
    try:
        with open("/proc/%d/schedstat" % pid, "rb") as file:
            return int(file.read().split()[1])
    except (OSError, IndexError, ValueError):
        return 0


def _descriptor_of(pid: int) -> Optional[int]:
    """A descriptor that can be read once the process has ended; None where the kernel has none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

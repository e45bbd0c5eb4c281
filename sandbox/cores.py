"""Which core runs what: every timed program has one to itself, and what watches them keeps to cores of its own."""

from __future__ import annotations

import fcntl
import os
import stat
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from afterburner.sandbox.errors import CancelledError, SandboxInternalError
from afterburner.sandbox.tracing import core_lane, span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

_WATCHED_BY_ONE = 7  # programs whose meters, at 1 kHz, one core serves with ease
_TOPOLOGY = Path("/sys/devices/system/cpu")
_RETRY_S = 0.005
_RETRY_WHEN_NEXT_S = 0.001  # for whoever has the turn: a slot is idle until it looks
_OUT_OF_TURN = 20  # tries after which a free slot is taken all the same: whoever has the turn may be a stopped process
_TO_LOCK = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # nobody may ever write to a pipe put there
_LOCKS = Path("/run/lock")  # where anyone may write to it: root and others have to meet in one folder
_FOR_ALL = 0o1777  # anyone may add a lock, and nobody take another's away


class Slots(Protocol):
    """Slots for programs that run at the same time: cores of this machine, or the slots of a sandbox service."""

    @property
    def slots(self) -> tuple[int, ...]:
        """One number for each program that can run at the same time."""

    def lease(
        self, give_up: Callable[[], bool] = ..., on_wait: Callable[[], object] = ...
    ) -> AbstractContextManager[int | None]:
        """Hold a slot; what it gives is the `cpu` to run programs with. See `Cores.lease`."""


@dataclass(frozen=True, slots=True)
class Cores:
    """How the cores that this process may use are divided.

    `slots` are one CPU of each core that programs run on: the second thread of a core shares too much with the first,
    and idles. `watching` are the CPUs for everything else; with a single core it is that one.
    """

    slots: tuple[int, ...]
    watching: frozenset[int]

    def beside(self) -> frozenset[int]:
        """The CPUs, of those that this thread may use, for work that goes on while a program is timed.

        None that is a thread of a slot: another run may be timed there at any moment. With a single core there are
        none at all; there the same work is done in turns.
        """
        return frozenset(cpu for cpu in usable_cpus() if _siblings(cpu).isdisjoint(self.slots))

    @contextmanager
    def lease(
        self, give_up: Callable[[], bool] = lambda: False, on_wait: Callable[[], object] = lambda: None
    ) -> Iterator[int]:
        """Waits for a free slot and holds it, against every other process of this machine, too.

        Whoever waits first is next: a thread that gives a slot back and wants it again at once has to wait. `on_wait`
        is called once if no slot is free. While the block runs, the calling thread, and what it starts, keeps to the
        watching cores.

        Raises:
            CancelledError: `give_up` said so.
            SandboxInternalError: the locks cannot be used.
        """
        before = usable_cpus()
        cpu, lock = self._take(give_up, on_wait)
        try:
            keep_to(self.watching)
            with span(core_lane(cpu), "leased"):
                yield cpu
        finally:
            os.close(lock)
            keep_to(before)

    def borrow(self) -> BorrowedSlot | None:
        """Take a free slot for a program that is not timed; None if none is free or someone waits to time on it.

        Raises:
            SandboxInternalError: the locks cannot be used.
        """
        folder = lock_folder()
        for cpu in self.slots:
            unwanted = _try_lock(_wish(folder, cpu))
            if unwanted is None:
                continue
            try:
                lock = _try_lock(_slot(folder, cpu))
            finally:
                os.close(unwanted)
            if lock is not None:
                return BorrowedSlot(cpu, lock)
        return None

    def _take(self, give_up: Callable[[], bool], on_wait: Callable[[], object]) -> tuple[int, int]:
        folder = lock_folder()
        with ExitStack() as held:
            turns: set[int] = set()
            tries = 0
            while not give_up():
                tries += 1
                for cpu in self.slots:
                    if cpu not in turns and (turn := _try_lock(_turn(folder, cpu))) is not None:
                        held.callback(os.close, turn)
                        turns.add(cpu)
                    if cpu in turns or tries % _OUT_OF_TURN == 0:
                        lock = _try_lock(_slot(folder, cpu))
                        if lock is not None:
                            return cpu, lock
                if tries == 1:
                    for cpu in self.slots:
                        wish = _open_lock(_wish(folder, cpu))
                        held.callback(os.close, wish)
                        fcntl.flock(wish, fcntl.LOCK_SH)  # a borrower that looks holds it for a moment
                    on_wait()  # only now: whoever hears of it may count on its turn
                is_brief = turns and self.watching.isdisjoint(self.slots)  # or looking would disturb what is timed
                time.sleep(_RETRY_WHEN_NEXT_S if is_brief else _RETRY_S)
        raise CancelledError


@dataclass(frozen=True, slots=True)
class BorrowedSlot:
    """A slot that an untimed program runs on, until it is given back."""

    cpu: int
    _lock: int

    @property
    def cpus(self) -> frozenset[int]:
        """All threads of its core: while the slot is borrowed, nothing is timed there."""
        return _siblings(self.cpu)

    def give_back(self) -> None:
        """Let others lease or borrow it."""
        os.close(self._lock)


@dataclass(frozen=True, slots=True)
class ServiceSlots:
    """The slots of a sandbox service, which chooses the core for each program itself."""

    slots: tuple[int, ...]

    @contextmanager
    def lease(
        self,
        give_up: Callable[[], bool] = lambda: False,
        on_wait: Callable[[], object] = lambda: None,  # noqa: ARG002 - the service has a queue of its own
    ) -> Iterator[None]:
        """Hold nothing here.

        Raises:
            CancelledError: `give_up` said so.
        """
        if give_up():
            raise CancelledError
        yield


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


def lock_folder() -> Path:
    """Where all users of this machine meet: the usual folder for locks, or the one for temporary files.

    Raises:
        SandboxInternalError: there is no such folder, or someone else keeps us out of it.
    """
    place = _LOCKS if _LOCKS.is_dir() and _LOCKS.stat().st_mode & stat.S_IWOTH else Path(tempfile.gettempdir())
    folder = place / "afterburner-cores"
    try:
        folder.mkdir(exist_ok=True)
        if folder.is_symlink() or not folder.is_dir():
            raise SandboxInternalError(f"{folder} is not a folder. Remove it.")
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(_FOR_ALL)
    except OSError as error:
        raise SandboxInternalError(f"{folder} cannot be used to lease cores: {error.strerror or error}.") from error
    return folder


def _slot(folder: Path, cpu: int) -> Path:
    """Locked by whoever runs something on a slot."""
    return folder / f"cpu-{cpu}.lock"


def _turn(folder: Path, cpu: int) -> Path:
    """Locked by whoever is to have a slot next."""
    return folder / f"cpu-{cpu}-next.lock"


def _wish(folder: Path, cpu: int) -> Path:
    """Locked, together with others, by whoever waits to time on a slot."""
    return folder / f"cpu-{cpu}-wanted.lock"


def _try_lock(path: Path) -> int | None:
    """A descriptor that holds the lock; None if others hold it."""
    lock = _open_lock(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def _open_lock(path: Path) -> int:
    """A lock file of any user; one of another's can only be read in such a folder, which is enough to lock it.

    Raises:
        SandboxInternalError: it cannot be opened.
    """
    try:
        with suppress(FileNotFoundError):
            return os.open(path, _TO_LOCK)
        with suppress(FileExistsError):
            created = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
            os.fchmod(created, 0o644)  # whatever our umask is: other users have to open it, too
            os.close(created)
        return os.open(path, _TO_LOCK)
    except OSError as error:
        advice = "Remove it" if os.path.lexists(path) else f"Make {path.parent} writable for all users, or remove it"
        raise SandboxInternalError(f"{path} cannot be opened: {error.strerror or error}. {advice}.") from error


def usable_cpus() -> frozenset[int]:
    """The CPUs that this thread may use."""
    if sys.platform == "linux":
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))  # macOS does not tell, and has its containers in a virtual machine


def keep_to(cpus: frozenset[int], thread_id: int = 0) -> None:
    """Keep a thread, and what it starts from now on, to these CPUs; 0 is the thread that calls."""
    if sys.platform == "linux":
        with suppress(ProcessLookupError):  # it has just ended
            os.sched_setaffinity(thread_id, cpus)


def _siblings(cpu: int) -> frozenset[int]:
    """The CPUs that are threads of the same core, from a list such as `0-1,8`."""
    try:
        text = (_TOPOLOGY / f"cpu{cpu}/topology/thread_siblings_list").read_text("ascii").strip()
        ranges = [[int(end) for end in part.split("-")] for part in text.split(",")]
    except (OSError, ValueError):
        return frozenset({cpu})
    return frozenset(number for ends in ranges for number in range(ends[0], ends[-1] + 1))

"""Control groups, version 2, version 1 or none: the kernel's own limits behind those that the meter watches.

They stop what allocates faster than the meter looks, they count what no resident set shows (files in memory, the
kernel's own), and they tell for certain that a process was killed for memory. Hierarchies are used as they are found;
none is mounted, unmounted or reconfigured.

To move a process into another group, the kernel waits for every processor: about ten milliseconds. In version 1 a
thread that moves itself alone is exempt from that, so each payload enters by itself and the meter stays outside; in
version 2 the container as a whole is moved, once.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Self

from afterburner.sandbox.errors import SandboxInternalError

if TYPE_CHECKING:
    from types import TracebackType

_SELF = Path("/proc/self")
_PREFIX = "afterburner-"
_NEEDED = ("memory", "pids")
_WELCOME = "cpuacct"  # of version 1; in version 2 every group counts CPU time
_REMOVAL_TIMEOUT_S = 2.0
_serial = count()


@dataclass(frozen=True, slots=True)
class ControlGroups:
    """Where groups can be made: one folder for version 2, one for each controller for version 1."""

    tier: str
    parents: tuple[Path, ...]

    def make(self) -> ControlGroup:
        """A group, to be entered and left as a context manager."""
        name = f"{_owned()}-{next(_serial)}"
        return ControlGroup(self.tier, tuple(parent / name for parent in self.parents))


class ControlGroup:
    """One group for one container; gone when the context is left, with whatever was in it.

    Attributes:
        joining: descriptors by which a payload puts itself in, by writing `0`; version 1 only.
        events: descriptor of the file that counts kills for memory.
        usage: descriptor of the file that counts CPU time; None: nothing does.
    """

    def __init__(self, tier: str, folders: tuple[Path, ...]) -> None:
        self.joining: tuple[int, ...] = ()
        self.events: int | None = None
        self.usage: int | None = None
        self._tier = tier
        self._folders = folders
        self._limits = (0, 0)
        self._open = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for folder in self._folders:
                folder.mkdir()
                stack.callback(_remove, folder)
            kills, usage = "memory.events", "cpu.stat"
            if self._tier == "cgroup v1":
                kills, usage = "memory.oom_control", "cpuacct.usage"
                self.joining = tuple(self._opened(stack, folder / "tasks", os.O_WRONLY) for folder in self._folders)
            self.events = self._opened(stack, self._folders[0] / kills, os.O_RDONLY)
            if (self._folders[-1] / usage).exists():
                self.usage = self._opened(stack, self._folders[-1] / usage, os.O_RDONLY)
            self._open = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    @staticmethod
    def _opened(stack: ExitStack, path: Path, flags: int) -> int:
        descriptor = os.open(path, flags | os.O_CLOEXEC)
        stack.callback(os.close, descriptor)
        return descriptor

    def admit(self, pid: int) -> None:
        """Puts a process in, and what it will start; version 2 only.

        Raises:
            SandboxInternalError: the kernel does not let it in.
        """
        if not self.joining:
            _write(self._folders[0] / "cgroup.procs", pid)

    def memory_kills(self) -> int:
        """How many processes were killed for memory so far."""
        told = b"" if self.events is None else os.pread(self.events, 4096, 0)
        return next((int(line.split()[1]) for line in told.splitlines() if line.startswith(b"oom_kill ")), 0)

    def limit(self, memory_kib: int, processes: int) -> None:
        """Sets how much memory, without swap, and how many processes and threads all members have together.

        Raises:
            SandboxInternalError: the kernel does not take a limit.
        """
        if self._limits == (memory_kib, processes):
            return
        memory, tasks = self._folders[0], self._folders[len(self._folders) > 1]
        if self._tier == "cgroup v2":
            _try_to_write(memory / "memory.swap.max", 0)
            _write(memory / "memory.max", memory_kib * 1024)
        else:
            self._limit_v1(memory, memory_kib * 1024)
        _write(tasks / "pids.max", processes)
        self._limits = (memory_kib, processes)

    def _limit_v1(self, memory: Path, most_bytes: int) -> None:
        """Memory with swap can never be below memory alone: raise the one first, or lower the other first."""
        names = ["memory.memsw.limit_in_bytes", "memory.limit_in_bytes"]
        if most_bytes < self._limits[0] * 1024 or self._limits[0] == 0:
            names.reverse()
        for name in names:
            write = _write if name == "memory.limit_in_bytes" else _try_to_write
            write(memory / name, most_bytes)


def find_control_groups() -> ControlGroups | None:
    """The hierarchies in which this process may make groups that limit memory and processes; None if there are none.

    Groups that killed processes of ours left behind are removed.
    """
    try:
        own = [line.split(":", 2) for line in (_SELF / "cgroup").read_text("utf-8").splitlines()]
        mounts = [line.split(" ") for line in (_SELF / "mountinfo").read_text("utf-8").splitlines()]
    except OSError:
        return None
    found = _version_2(own, mounts) or _version_1(own, mounts)
    if found is not None:
        _sweep(found)
    return found


def _version_2(own: list[list[str]], mounts: list[list[str]]) -> ControlGroups | None:
    """A group beside ours, as one that holds processes cannot hold groups with limits, too."""
    path = next((path for number, _, path in own if number == "0"), None)
    root = _mount_point(mounts, "cgroup2", None)
    if path is None or root is None:
        return None
    folder = root / path.lstrip("/")
    for parent in (folder, *folder.parents):
        if not parent.is_relative_to(root):
            break
        if _words(parent / "cgroup.subtree_control").issuperset(_NEEDED) and _may_make(parent):
            return ControlGroups("cgroup v2", (parent,))
    return None


def _version_1(own: list[list[str]], mounts: list[list[str]]) -> ControlGroups | None:
    needed = [_hierarchy(controller, own, mounts) for controller in _NEEDED]
    parents = [parent for parent in needed if parent is not None and _may_make(parent)]
    if len(parents) < len(needed):
        return None
    counting = _hierarchy(_WELCOME, own, mounts)
    if counting is not None and _may_make(counting):
        parents.append(counting)
    return ControlGroups("cgroup v1", tuple(parents))


def _hierarchy(controller: str, own: list[list[str]], mounts: list[list[str]]) -> Path | None:
    """Our own group in the hierarchy of a controller of version 1."""
    path = next((path for _, names, path in own if controller in names.split(",")), None)
    root = _mount_point(mounts, "cgroup", controller)
    if path is None or root is None:
        return None
    inside = root / path.lstrip("/")
    return inside if inside.is_dir() else root  # a container shows its own group as the root


def _mount_point(mounts: list[list[str]], kind: str, controller: str | None) -> Path | None:
    """Where a hierarchy is mounted; see proc_pid_mountinfo(5) for the fields."""
    for fields in mounts:
        optional_end = fields.index("-")
        fits = fields[optional_end + 1] == kind
        if fits and (controller is None or controller in fields[optional_end + 3].split(",")):
            return Path(fields[4])
    return None


def _words(path: Path) -> set[str]:
    try:
        return set(path.read_text("ascii").split())
    except OSError:
        return set()


def _may_make(parent: Path) -> bool:
    """Whether a group can really be made there, and processes moved into it."""
    probe = parent / f"{_owned()}-probe{next(_serial)}"
    if not os.access(parent / "cgroup.procs", os.W_OK):
        return False
    try:
        probe.mkdir()
    except OSError:
        return False
    _remove(probe)
    return True


def _sweep(groups: ControlGroups) -> None:
    for parent in groups.parents:
        for folder in parent.glob(f"{_PREFIX}{_pid_namespace()}-*-*-*"):
            _, pid, started, _ = folder.name.removeprefix(_PREFIX).split("-", 3)
            if _started(int(pid) if pid.isdigit() else 0) != started:
                _remove(folder)


def _owned() -> str:
    """How the names of this process's groups begin."""
    return f"{_PREFIX}{_pid_namespace()}-{os.getpid()}-{_started(os.getpid())}"


def _pid_namespace() -> int:
    """Process numbers mean nothing in another namespace, which may show the same hierarchy."""
    return Path("/proc/self/ns/pid").stat().st_ino


def _started(pid: int) -> str:
    """When a process started, in clock ticks since boot; a number that is used again has another start."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[19]
    except OSError:
        return "gone"


def _remove(folder: Path) -> None:
    """Removes a group; what is in it is being killed by the end of its container, or is killed here."""
    deadline = time.monotonic() + _REMOVAL_TIMEOUT_S
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                return  # the next process of ours tries again
            _try_to_write(folder / "cgroup.kill", 1)
            time.sleep(0.002)
        else:
            return


def _write(path: Path, value: int) -> None:
    try:
        path.write_text(str(value), encoding="ascii")
    except OSError as error:
        raise SandboxInternalError(f"The limit {path} cannot be set to {value}: {error.strerror}.") from error


def _try_to_write(path: Path, value: int) -> None:
    """Sets what not every kernel offers."""
    with suppress(OSError):
        path.write_text(str(value), encoding="ascii")

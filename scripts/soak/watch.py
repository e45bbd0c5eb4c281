"""What a sandbox could leave behind on a machine: processes, mounts, control groups, containers and files.

All of it is found from outside, without a word from the sandbox. Only what belongs to this soak is counted: others may
use sandboxes on the same machine meanwhile.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from docker import APIClient

_LABEL = "afterburner.sandbox"  # its value is the workspace of the process that has the container
_CONTROL_GROUPS = "/sys/fs/cgroup"
_ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER, see prctl(2)
_SETTLED_S = 20.0  # what goes by itself after a kill is gone by then, on a busy machine, too
_LOOK_AGAIN_S = 0.05

Found = dict[str, frozenset[str]]


class Watch:
    """Looks for what belongs to this process, to processes that it started, and to its private folder.

    Attributes:
        hosts: the processes that use sandboxes right now: these are not left over.
        all_hosts: these, and those that ever did.
    """

    def __init__(self, folder: Path, docker_address: str | None) -> None:
        self.hosts: set[int] = set()
        self.all_hosts: set[int] = set()
        self._folder = folder
        self._docker = None if docker_address is None else _docker(docker_address)
        # Whoever loses its parent becomes our child: nothing leaves us by a double fork.
        if ctypes.CDLL(None, use_errno=True).prctl(_ADOPT_ORPHANS, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")

    def take(self) -> Found:
        """All that is there, but for what the open sandbox of a process that lives keeps."""
        open_folders = [str(folder) for folder in self._folder.glob("runtime/*/run-*") if _is_locked(folder)]
        containers = self._containers()
        kept = [each for each in containers if each["Labels"][_LABEL] in open_folders]
        shown = {mount["Source"] for each in kept for mount in each["Mounts"]}
        return {
            "processes": frozenset(self._processes([each["Id"] for each in kept])),
            "mounts": frozenset(self._mounts()),
            "control groups": frozenset(self._groups()),
            "containers": frozenset(each["Id"][:12] for each in containers if each not in kept),
            "files": frozenset(self._files({*open_folders, *map(os.path.dirname, open_folders), *shown})),
        }

    def left(self, start: Found, *kinds: str) -> Found:
        """What is there (of some kinds) and was not at the start, after it has had the time to go by itself."""
        deadline = time.monotonic() + _SETTLED_S
        while True:
            more = {kind: now - start[kind] for kind, now in self.take().items() if not kinds or kind in kinds}
            if not any(more.values()) or time.monotonic() > deadline:
                return more
            time.sleep(_LOOK_AGAIN_S)

    def _processes(self, kept_containers: list[str]) -> Iterator[str]:
        """Our descendants, and in whosever container, what runs our copy of the meter."""
        parents = dict(_parents())
        meters = {_identity(path) for path in self._folder.glob("cache/*/meter-*")}
        for pid, parent in parents.items():
            if pid in self.hosts or pid == os.getpid() or self._is_reaped(pid, parent):
                continue
            with suppress(OSError):  # it has ended just now, or is not ours
                if not _descends(pid, parents) and _identity(Path(f"/proc/{pid}/exe")) not in meters:
                    continue
                control_group = Path(f"/proc/{pid}/cgroup").read_text("utf-8")
                if not any(identity in control_group for identity in kept_containers):
                    yield f"{pid} {_state_and_command(pid)}"

    def _is_reaped(self, pid: int, parent: int) -> bool:
        """Buries what has ended without a parent. That it had not been buried by then is nobody's fault."""
        if parent != os.getpid():
            return False
        with suppress(ChildProcessError):
            return os.waitpid(pid, os.WNOHANG)[0] == pid
        return True

    def _mounts(self) -> Iterator[str]:
        """Where something is mounted. A daemon's own mounts come and go; they must not outnumber its containers."""
        of_containers = 0
        for line in Path("/proc/self/mountinfo").read_text("utf-8").splitlines():
            fields = line.split(" ")  # see proc_pid_mountinfo(5)
            place, kind = fields[4], fields[fields.index("-") + 1]
            of_containers += kind == "overlay" and "docker" in place
            if "docker" not in place:
                yield f"{place} ({kind})"
        if self._docker is not None and of_containers:
            containers = len(self._docker.containers(all=True))
            if of_containers > containers:
                yield f"{of_containers} file systems of {containers} containers"

    def _groups(self) -> Iterator[str]:
        ours = tuple(f"-{pid}-" for pid in self.all_hosts)
        for folder, names, _ in os.walk(_CONTROL_GROUPS):
            groups = (name for name in names if name.startswith("afterburner-"))
            yield from (f"{folder}/{name}" for name in groups if any(owner in name for owner in ours))

    def _containers(self) -> list[dict[str, Any]]:
        if self._docker is None:
            return []
        labelled = self._docker.containers(all=True, filters={"label": _LABEL})
        return [each for each in labelled if each["Labels"][_LABEL].startswith(f"{self._folder}/")]

    def _files(self, spared: set[str]) -> Iterator[str]:
        for folder, folders, names in os.walk(self._folder):
            paths = [f"{folder}/{name}" for name in (*folders, *names)]
            yield from (os.path.relpath(path, self._folder) for path in paths if path not in spared)


def docker_address() -> str:
    """Where the sandbox looks for a daemon."""
    return os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")


def _docker(address: str) -> APIClient:
    import docker  # noqa: PLC0415 - bubblewrap does without

    return docker.APIClient(address)


def _parents() -> Iterator[tuple[int, int]]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield int(folder.name), int((folder / "stat").read_text("utf-8").rpartition(")")[2].split()[1])


def _descends(pid: int, parents: Mapping[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == os.getpid():
            return True
    return False


def _state_and_command(pid: int) -> str:
    status = Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace")
    state = status.rpartition(")")[2].split()[0]
    command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return f"({state}) {command[:120].strip() or status.partition('(')[2].rpartition(')')[0]}"


def _identity(path: Path) -> tuple[int, int]:
    """A file, by whatever name."""
    status = path.stat()
    return status.st_dev, status.st_ino


def _is_locked(folder: Path) -> bool:
    """Whether a process holds a workspace: whose lock is free was killed."""
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False

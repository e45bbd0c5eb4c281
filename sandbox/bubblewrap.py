"""Containers by bubblewrap: no daemon, no root, about ten milliseconds each."""

from __future__ import annotations

import os
import select
import socket
import stat
import subprocess
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from afterburner.sandbox.container import Container
from afterburner.sandbox.container_paths import (
    METER,
    PROGRAM_FOLDER,
    SCRATCH,
    SHARED_MEMORY,
    SHARED_MEMORY_KIB,
    WRITABLE,
)
from afterburner.sandbox.control_groups import find_control_groups
from afterburner.sandbox.installations import own_environment
from afterburner.sandbox.toolchains import find_toolchain

if TYPE_CHECKING:
    from afterburner.sandbox.control_groups import ControlGroup, ControlGroups
    from afterburner.sandbox.languages import Language
    from afterburner.sandbox.preflight import Bubblewrap
    from afterburner.sandbox.toolchains import Toolchain
    from afterburner.sandbox.types import Bind, ContainerSpec, Limits, PythonEnvironment

_END_TIMEOUT_S = 2.0
_METER_KIB = 16_384  # of version 2, where the meter and its buffers are in the group, too
_ETC = {
    "passwd": b"nobody:x:65534:65534:nobody:/tmp:/bin/false\n",
    "group": b"nogroup:x:65534:\n",
    "hosts": b"127.0.0.1 localhost\n::1 localhost\n",
}
_NAMESPACES = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session", "--as-pid-1"),
    *("--cap-drop", "ALL", "--clearenv", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox"),
)


class BubblewrapBackend:
    """Starts containers with the bubblewrap that was found; a `Backend`."""

    follows_caller = True
    needs_images = False

    def __init__(self, bubblewrap: Bubblewrap, meter: Path, workspace: Path) -> None:
        self.name = f"bubblewrap {bubblewrap.version}"
        self._bubblewrap = bubblewrap.path
        self._meter = meter
        self._workspace = workspace

    @cached_property
    def _groups(self) -> ControlGroups | None:
        return find_control_groups()

    @cached_property
    def _for_root_alone(self) -> tuple[str, ...]:
        """What `/proc` shows to root alone: under the real root, the program would be taken for it."""
        if os.geteuid() != 0:
            return ()
        files = (path for path in Path("/proc").iterdir() if not path.name.isdigit() and not path.is_symlink())
        return tuple(str(path) for path in sorted(files) if path.is_file() and not path.stat().st_mode & stat.S_IROTH)

    @property
    def tier(self) -> str:
        """The control groups in use, or `rlimits`."""
        return "rlimits" if self._groups is None else self._groups.tier

    def toolchain(self, language: Language) -> Toolchain:
        """The toolchain that is installed on this machine."""
        return find_toolchain(language)

    def python(self) -> PythonEnvironment:
        """The interpreter that this process runs under."""
        return own_environment()

    def container(self, spec: ContainerSpec) -> Container:
        """A container, to be entered."""
        parts = BubblewrapParts(self._bubblewrap, self._meter, self._workspace, self._groups, self._for_root_alone)
        return BubblewrapContainer(spec, parts)

    def close(self) -> None:
        """Nothing is kept ready."""


@dataclass(frozen=True, slots=True)
class BubblewrapParts:
    """What the containers of one backend are made with; `covered` are files of `/proc` that they do not show."""

    bubblewrap: str
    meter: Path
    workspace: Path
    groups: ControlGroups | None = None
    covered: tuple[str, ...] = ()


class BubblewrapContainer(Container):
    """One `bwrap`, with the meter started by it."""

    def __init__(self, spec: ContainerSpec, parts: BubblewrapParts) -> None:
        super().__init__(parts.workspace, "rlimits" if parts.groups is None else parts.groups.tier)
        self._spec = spec
        self._bubblewrap = parts.bubblewrap
        self._meter = parts.meter
        self._groups = parts.groups
        self._covered = parts.covered
        self._group: ControlGroup | None = None
        self._kills_before = 0

    def start(self, stack: ExitStack) -> socket.socket:
        """Starts bubblewrap, and leaves its end to the stack."""
        if self._groups is not None:
            self._group = stack.enter_context(self._groups.make())
        ours, theirs = socket.socketpair()
        stack.enter_context(ours)
        self._complaints = stack.enter_context(_memory_file(b""))
        with theirs:
            self._launch(theirs.fileno())
        stack.callback(self._end)
        return ours

    def prepare(self, limits: Limits, stdin_bytes: int) -> None:
        """Sets what the control group stops, a little beyond what the meter does by itself and says so."""
        if self._group is not None:
            meter_kib = 0 if self._group.joining else _METER_KIB + stdin_bytes // 1024
            most_kib = limits.memory_kib + 2 * self._spec.writable_kib + meter_kib
            self._group.limit(most_kib, 2 * limits.processes + 16)
            self._kills_before = self._group.memory_kills()

    def killed_for_memory(self) -> bool:
        """Whether the kernel did that, perhaps to the meter, which shares the group in version 2."""
        return self._group is not None and self._group.memory_kills() > self._kills_before

    def told(self) -> str:
        """What bubblewrap and the meter said on their stderr."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        self._complaints.seek(0)
        said = self._complaints.read(2000).decode(errors="replace").strip()
        return f"It said: {said}" if said else f"It said nothing (exit code {self._process.returncode})."

    def _launch(self, channel: int) -> None:
        """Starts bubblewrap. It waits for its arguments, and by then it is what the kernel would kill first."""
        with ExitStack() as given:
            contents = [given.enter_context(_memory_file(text)).fileno() for text in _ETC.values()]
            arguments = self._arguments(contents)
            reading, writing = (
                given.enter_context(os.fdopen(end, mode)) for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True)
            )
            joining = () if self._group is None else self._group.joining
            counters = (None, None) if self._group is None else (self._group.events, self._group.usage)
            handed = [str(descriptor) if descriptor is not None else "-" for descriptor in counters]
            self._process = subprocess.Popen(
                [
                    *(self._meter, "launch", self._bubblewrap, "--args", str(reading.fileno()), "--"),
                    *(METER, str(channel), str(channel), ",".join(map(str, joining)) or "-", *handed, *WRITABLE),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._complaints,
                env={},
                cwd="/",
                pass_fds=(channel, reading.fileno(), *contents, *joining, *filter(None, counters)),
                process_group=0,  # Ctrl-C is for us alone; we then end the container in order
            )
            reading.close()
            if self._group is not None:
                self._group.admit(self._process.pid)
            with suppress(OSError):  # it may have ended already, which shows when it does not answer
                Path(f"/proc/{self._process.pid}/oom_score_adj").write_text("1000", encoding="ascii")
                writing.write(b"".join(os.fsencode(argument) + b"\0" for argument in arguments))
                writing.flush()

    def _end(self) -> None:
        """Waits until everything is gone. Killing bubblewrap itself, the last resort, would not wait for that."""
        self.kill()
        try:
            _await_end(self._process.pid, _END_TIMEOUT_S)
            self._process.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _arguments(self, contents: list[int]) -> list[str]:
        """Everything between `bwrap` and the command. Later mounts lie over earlier ones."""
        arguments = [*_NAMESPACES, *_system_folders()]
        for name, descriptor in zip(_ETC, contents, strict=True):
            arguments += ["--ro-bind-data", str(descriptor), f"/etc/{name}"]
        arguments += ["--proc", "/proc", "--dev", "/dev"]
        for path in self._covered:  # bound devices cannot be opened
            arguments += ["--ro-bind", "/dev/null", path]
        arguments += _tmpfs(SCRATCH, self._spec.writable_kib)
        arguments += _tmpfs(SHARED_MEMORY, min(SHARED_MEMORY_KIB, self._spec.writable_kib))
        for bind in _parents_first(self._spec.binds):
            arguments += ["--ro-bind", bind.source, bind.destination]
        arguments += ["--ro-bind", str(self._meter), METER, "--ro-bind", str(self.folder), PROGRAM_FOLDER]
        # Under the real root the program owns what is in /proc: the host's kernel settings among it.
        for path in ("/proc", "/dev/pts", "/dev", "/"):
            arguments += ["--remount-ro", path]
        return arguments


def _await_end(pid: int, timeout_s: float) -> None:
    """Waits until a child has ended, or no longer; `Popen.wait` alone looks only every few milliseconds."""
    with suppress(OSError):  # an old kernel
        descriptor = os.pidfd_open(pid)
        try:
            ended = select.poll()
            ended.register(descriptor, select.POLLIN)
            ended.poll(1e3 * timeout_s)
        finally:
            os.close(descriptor)


def _memory_file(text: bytes) -> BinaryIO:
    file = os.fdopen(os.memfd_create("content"), "w+b")
    file.write(text)
    file.seek(0)
    return file


def _system_folders() -> list[str]:
    """The system's programs and libraries, read-only; of `/etc` only what the dynamic linker and the clock read."""
    arguments = ["--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"):
        path = Path(name)
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            arguments += ["--ro-bind", name, name]
    for name in ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime"):
        arguments += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return arguments


def _tmpfs(path: str, size_kib: int) -> list[str]:
    return ["--perms", "1777", "--size", str(max(4, size_kib) * 1024), "--tmpfs", path]


def _parents_first(binds: tuple[Bind, ...]) -> list[Bind]:
    """Each destination after the folders that it lies in, which would cover it otherwise; doubles once."""
    return sorted(dict.fromkeys(binds), key=lambda bind: len(Path(bind.destination).parts))

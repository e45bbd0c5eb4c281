"""One bubblewrap container with the meter as its process 1, and the requests that the host sends to it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from afterburner.sandbox import wire
from afterburner.sandbox.errors import SandboxInternalError
from afterburner.sandbox.types import Measurement, RawResult

if TYPE_CHECKING:
    from types import TracebackType

    from afterburner.sandbox.types import Bind, Command, ContainerSpec, Limits

HOME = "/afterburner"  # what the sandbox itself puts into a container lies here
_METER = f"{HOME}/meter"
WRITABLE = ("/tmp", "/dev/shm")  # noqa: S108 - inside the container; the meter empties them between runs
_START_TIMEOUT_S = 30.0  # a busy machine, not a slow start: it takes about 10 ms
_GRACE_S = 5.0  # the meter ends a run itself; this long after the limit the host does
_END_TIMEOUT_S = 2.0
_SHARED_MEMORY_KIB = 65_536
_ETC = {
    "passwd": b"nobody:x:65534:65534:nobody:/tmp:/bin/false\n",
    "group": b"nogroup:x:65534:\n",
    "hosts": b"127.0.0.1 localhost\n::1 localhost\n",
}
_NAMESPACES = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session", "--as-pid-1"),
    *("--cap-drop", "ALL", "--clearenv", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox"),
)


class Container:
    """A container that runs one command after another, each from an empty `/tmp`.

    Use it as a context manager, and open, use and close it in one thread: the container dies with the thread that
    opened it. `usable` is False, and another container has to be opened, after a run that went over the host's own
    clock, that left something behind which could not be removed, or that raised.

    Raises:
        SandboxInternalError: it does not start, or the meter breaks its protocol.
    """

    def __init__(self, spec: ContainerSpec, *, bubblewrap: str, meter: Path) -> None:
        self.usable = False
        self._spec = spec
        self._bubblewrap = bubblewrap
        self._meter = meter
        self._open = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            ours, theirs = socket.socketpair()
            self._socket = stack.enter_context(ours)
            self._complaints = stack.enter_context(_memory_file(b""))
            with theirs:
                self._start(theirs.fileno())
            stack.callback(self._end)
            self._receive_ready()
            self.usable = True
            self._open = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.usable = False
        self._open.close()

    def run(self, command: Command, stdin: bytes, limits: Limits, *, cpu: int | None = None) -> RawResult:
        """Runs one command to its end, or to the first limit that it exceeds; then nothing of it is left.

        Args:
            command: what to start; `argv[0]` is a path inside the container, no search path is used.
            stdin: what it may read; it need not.
            limits: wall and CPU time, memory and processes are limited over all its descendants together.
            cpu: the core to pin it to; the meter keeps off that core if there is another.

        Raises:
            SandboxInternalError: the command cannot be started, or the meter failed. Nothing is said of the program.
        """
        if not self.usable:
            raise SandboxInternalError("This container has ended; open another one.")
        self.usable = False
        started = time.monotonic()
        deadline = started + limits.wall_time_s + _GRACE_S
        try:
            try:
                self._send(wire.encode_request(command, stdin, limits, cpu), deadline)
                reply = self._receive_reply(deadline)
            except TimeoutError:  # the meter is stuck: the host's clock counts
                self.kill()
                return _overdue(time.monotonic() - started)
        except BaseException:  # an interrupt, too, must leave nothing running
            self.kill()
            raise
        result = wire.check_reply(reply, command, limits, host_wall_s=time.monotonic() - started)
        self.usable = not reply.header.dirty
        return result

    def _start(self, channel: int) -> None:
        """Starts bubblewrap. It waits for its arguments, and by then it is what the kernel would kill first."""
        with ExitStack() as given:
            contents = [given.enter_context(_memory_file(text)).fileno() for text in _ETC.values()]
            arguments = self._arguments(contents)
            reading, writing = (
                given.enter_context(os.fdopen(end, mode)) for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True)
            )
            self._process = subprocess.Popen(
                [self._bubblewrap, "--args", str(reading.fileno()), "--", _METER, str(channel), *WRITABLE],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._complaints,
                env={},
                cwd="/",
                pass_fds=(channel, reading.fileno(), *contents),
                process_group=0,  # Ctrl-C is for us alone; we then end the container in order
            )
            reading.close()
            with suppress(OSError):  # it may have ended already, which shows when it does not answer
                Path(f"/proc/{self._process.pid}/oom_score_adj").write_text("1000", encoding="ascii")
                writing.write(b"".join(os.fsencode(argument) + b"\0" for argument in arguments))
                writing.flush()

    def kill(self) -> None:
        """Ends the container at once, with everything in it. Any thread may do this.

        It hangs up, upon which the meter leaves and the kernel ends the rest.
        """
        self.usable = False
        with suppress(OSError):  # it has hung up already
            self._socket.shutdown(socket.SHUT_RDWR)

    def _end(self) -> None:
        """Waits until everything is gone. Killing bubblewrap itself, the last resort, would not wait for that."""
        self.kill()
        try:
            self._process.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _send(self, request: bytes, deadline: float) -> None:
        self._socket.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            self._socket.sendall(request)
        except ConnectionError as error:
            raise SandboxInternalError(f"The container has ended. {self._told()}") from error

    def _receive(self, length: int, deadline: float) -> bytes:
        buffer = bytearray(length)
        view, place = memoryview(buffer), 0
        while place < length:
            self._socket.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                got = self._socket.recv_into(view[place:])
            except ConnectionError:
                got = 0
            if got == 0:
                raise SandboxInternalError(f"The container ended in the middle. {self._told()}")
            place += got
        return bytes(buffer)

    def _receive_ready(self) -> None:
        try:
            ready = self._receive(len(wire.READY), time.monotonic() + _START_TIMEOUT_S)
        except TimeoutError as error:
            self.kill()
            raise SandboxInternalError(f"The container did not start within {_START_TIMEOUT_S:.0f} s.") from error
        if ready != wire.READY:
            raise SandboxInternalError(f"The meter answered {ready!r}; is {self._meter} another version?")

    def _receive_reply(self, deadline: float) -> wire.Reply:
        header = wire.decode_header(self._receive(wire.HEADER_BYTES, deadline))
        return wire.Reply(
            header,
            stdout=self._receive(header.stdout_bytes, deadline),
            stderr=self._receive(header.stderr_bytes, deadline),
            series=self._receive(header.series_bytes, deadline),
        )

    def _told(self) -> str:
        """What bubblewrap and the meter said on their stderr."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        self._complaints.seek(0)
        said = self._complaints.read(2000).decode(errors="replace").strip()
        return f"It said: {said}" if said else f"It said nothing (exit code {self._process.returncode})."

    def _arguments(self, contents: list[int]) -> list[str]:
        """Everything between `bwrap` and the command. Later mounts lie over earlier ones."""
        arguments = [*_NAMESPACES, *_system_folders()]
        for name, descriptor in zip(_ETC, contents, strict=True):
            arguments += ["--ro-bind-data", str(descriptor), f"/etc/{name}"]
        arguments += ["--proc", "/proc", "--dev", "/dev"]
        arguments += _tmpfs("/tmp", self._spec.writable_kib)  # noqa: S108 - inside the container
        arguments += _tmpfs("/dev/shm", min(_SHARED_MEMORY_KIB, self._spec.writable_kib))  # noqa: S108 - likewise
        for bind in _parents_first(self._spec.binds):
            arguments += ["--ro-bind", bind.source, bind.destination]
        arguments += ["--ro-bind", str(self._meter), _METER]
        # Under the real root the program owns what is in /proc: the host's kernel settings among it.
        for path in ("/proc", "/dev", "/"):
            arguments += ["--remount-ro", path]
        return arguments


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


def _overdue(host_wall_s: float) -> RawResult:
    measurement = Measurement(host_wall_s, 0.0, 0, 0.0)
    return RawResult(None, int(signal.SIGKILL), "wall", measurement, b"", b"")

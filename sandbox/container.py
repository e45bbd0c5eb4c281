"""A container with the meter as its process 1, and the requests that the host sends to it."""

from __future__ import annotations

import signal
import socket
import tempfile
import time
from abc import ABC, abstractmethod
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from afterburner.sandbox import wire
from afterburner.sandbox.container_paths import PROGRAM_FOLDER
from afterburner.sandbox.errors import CancelledError, SandboxInternalError
from afterburner.sandbox.tracing import SANDBOX, core_lane, span
from afterburner.sandbox.types import KEPT_OUTPUT_BYTES, Measurement, RawResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from types import TracebackType

    from afterburner.sandbox.types import Command, ContainerSpec, Limits

    OpenContainer = Callable[[ContainerSpec], AbstractContextManager["Container"]]

_START_TIMEOUT_S = 30.0  # a busy machine, not a slow start: it takes about 10 ms
_GRACE_S = 5.0  # the meter ends a run itself; this long after the limit the host does
_LONGEST_WAIT_S = 2_000_000.0  # in one go; a socket refuses more than 2**31 milliseconds
_PIECE_BYTES = 1 << 20


class Channel(Protocol):
    """The line to the meter; a socket is one."""

    def sendall(self, data: bytes, /) -> None:
        """Sends all, or raises TimeoutError or ConnectionError."""

    def recv_into(self, buffer: memoryview, /) -> int:
        """Receives some; 0 at the end."""

    def settimeout(self, seconds: float | None, /) -> None:
        """Bounds each of the calls above."""

    def shutdown(self, how: int, /) -> None:
        """Hangs up, from any thread."""

    def close(self) -> None:
        """Gives the descriptor back."""


class Container(ABC):
    """A container that runs one command after another, each from an empty `/tmp`.

    Use it as a context manager, and open, use and close it in one thread: the container dies with the thread that
    opened it. `usable` is False, and another container has to be opened, after a run that went over the host's own
    clock, that left something behind which could not be removed, or that raised.

    Raises:
        SandboxInternalError: it does not start, or the meter breaks its protocol.
        CancelledError: another thread has cancelled it.
    """

    def __init__(self, workspace: Path, tier: str) -> None:
        self.usable = False
        self.folder = workspace  # until it is entered; then one of its own inside
        self._tier = tier
        self._channel: Channel | None = None
        self._was_killed = False
        self._was_cancelled = False
        self._open = ExitStack()

    @abstractmethod
    def start(self, stack: ExitStack) -> Channel:
        """Starts the container, leaves its end to the stack, and gives the line to its meter."""

    @abstractmethod
    def told(self) -> str:
        """What there is to know about a container that has ended by itself."""

    def __enter__(self) -> Self:
        with span(SANDBOX, "start container"), ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="container-", dir=self.folder))
            self.folder = Path(folder)
            self.folder.chmod(0o755)
            self._channel = self.start(stack)
            stack.callback(self.kill)
            with self._cancelling():
                self._receive_ready()
            self.usable = True
            self._open = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.usable = False
        self._open.close()

    def put(self, name: str, data: bytes, *, executable: bool = False) -> str:
        """Shows the program a file that it can only read; gives its path inside."""
        path = self.folder / name
        path.write_bytes(data)
        path.chmod(0o755 if executable else 0o644)
        return f"{PROGRAM_FOLDER}/{name}"

    def run(
        self,
        command: Command,
        stdin: bytes,
        limits: Limits,
        *,
        cpu: int | None = None,
        stdout_sink: Callable[[memoryview], None] | None = None,
    ) -> RawResult:
        """Runs one command to its end, or to the first limit that it exceeds; then nothing of it is left.

        Args:
            command: what to start; a name without a slash is looked for on the PATH of its environment.
            stdin: what it may read; it need not.
            limits: wall and CPU time, memory and processes are limited over all its descendants together.
            cpu: the core to pin it to; the meter keeps off that core if there is another.
            stdout_sink: is given all of stdout, piece by piece, while the result keeps only the first part.

        Raises:
            SandboxInternalError: the command cannot be started, or the meter failed. Nothing is said of the program.
            CancelledError: another thread has cancelled it; likewise.
        """
        with self._cancelling():
            if not self.usable:
                raise SandboxInternalError("This container has ended; open another one.")
        self.usable = False
        started = time.monotonic()
        deadline = started + limits.wall_time_s + _GRACE_S
        try:
            try:
                with span(core_lane(cpu), "run"), self._cancelling():
                    self.prepare(limits, len(stdin))
                    self._send(wire.encode_request(command, stdin, limits, cpu), deadline)
                    reply = self._receive_reply(limits, deadline, stdout_sink)
            except TimeoutError:  # the meter is stuck: the host's clock counts
                self.kill()
                return _cut_short("wall", time.monotonic() - started, self._tier)
            except SandboxInternalError:  # the meter was what the kernel killed in place of the program
                if self._was_killed or not self.killed_for_memory():
                    raise
                return _cut_short("memory", time.monotonic() - started, self._tier)
        except BaseException:  # an interrupt, too, must leave nothing running
            self.kill()
            raise
        host_wall_s = time.monotonic() - started
        result = wire.check_reply(reply, command, limits, host_wall_s=host_wall_s, tier=self._tier)
        self.usable = not reply.header.dirty
        return result

    @abstractmethod
    def prepare(self, limits: Limits, stdin_bytes: int) -> None:
        """Called before each run, for what the technology enforces or watches by itself."""

    def killed_for_memory(self) -> bool:
        """Whether the kernel has killed anything in this container for its memory since the run began."""
        return False

    def kill(self) -> None:
        """Ends the container at once, with everything in it. Any thread may do this.

        It hangs up, upon which the meter leaves and the kernel ends the rest.
        """
        self.usable = False
        self._was_killed = True
        if self._channel is not None:
            with suppress(OSError):  # it has hung up already
                self._channel.shutdown(socket.SHUT_RDWR)

    def cancel(self) -> None:
        """Ends the container at once; the thread that uses it gets a CancelledError. Any thread may do this."""
        self._was_cancelled = True
        self.kill()

    @contextmanager
    def _cancelling(self) -> Iterator[None]:
        """Raises CancelledError if another thread has cancelled the container, before or during the block."""
        try:
            if self._was_cancelled:  # perhaps before there was a line to hang up
                raise CancelledError
            yield
        except SandboxInternalError as error:
            if self._was_cancelled:
                raise CancelledError from error
            raise

    def _line(self, deadline: float) -> Channel:
        if self._channel is None:
            raise SandboxInternalError("This container was not started.")
        self._channel.settimeout(min(max(0.001, deadline - time.monotonic()), _LONGEST_WAIT_S))
        return self._channel

    def _send(self, request: bytes, deadline: float) -> None:
        try:
            self._line(deadline).sendall(request)
        except ConnectionError as error:
            raise SandboxInternalError(f"The container has ended. {self.told()}") from error

    def _receive_into(self, view: memoryview, deadline: float) -> None:
        while view:
            try:
                got = self._line(deadline).recv_into(view)
            except ConnectionError:
                got = 0
            if got == 0:
                raise SandboxInternalError(f"The container ended in the middle. {self.told()}")
            view = view[got:]

    def _receive(self, length: int, deadline: float) -> bytes:
        buffer = bytearray(length)
        self._receive_into(memoryview(buffer), deadline)
        return bytes(buffer)

    def _receive_ready(self) -> None:
        try:
            ready = self._receive(len(wire.READY), time.monotonic() + _START_TIMEOUT_S)
        except TimeoutError as error:
            self.kill()
            raise SandboxInternalError(f"The container did not start within {_START_TIMEOUT_S:.0f} s.") from error
        if ready != wire.READY:
            raise SandboxInternalError(f"The meter answered {ready!r}; is it another version?")

    def _receive_reply(
        self, limits: Limits, deadline: float, stdout_sink: Callable[[memoryview], None] | None
    ) -> wire.Reply:
        kept = {wire.FrameKind.STDOUT: bytearray(), wire.FrameKind.STDERR: bytearray()}
        room = limits.output_bytes
        while True:
            kind, length = wire.decode_frame(self._receive(wire.FRAME_BYTES, deadline), room)
            if kind is wire.FrameKind.RESULT:
                header, series = wire.decode_result(self._receive(length, deadline))
                stdout, stderr = (bytes(each) for each in kept.values())
                return wire.Reply(header, stdout, stderr, series)
            room -= length
            sink = stdout_sink if kind is wire.FrameKind.STDOUT else None
            self._receive_output(kept[kind], length, deadline, sink)

    def _receive_output(
        self, kept: bytearray, length: int, deadline: float, sink: Callable[[memoryview], None] | None
    ) -> None:
        """Takes one frame of output in, in pieces: how much the host holds must not depend on the program."""
        while length > 0:
            piece = memoryview(bytearray(min(length, _PIECE_BYTES)))
            self._receive_into(piece, deadline)
            length -= len(piece)
            kept += piece[: KEPT_OUTPUT_BYTES - len(kept)]
            if sink is not None:
                sink(piece)


def _cut_short(limit: str, host_wall_s: float, tier: str) -> RawResult:
    measurement = Measurement(host_wall_s, 0.0, 0, 0.0, tier=tier)
    return RawResult(None, int(signal.SIGKILL), limit, measurement, b"", b"")

# ruff: noqa: PTH100, PTH108, PTH118 - every Python has os.path loaded when it starts; pathlib takes a while
"""How a program of ours inside the sandbox talks to the host: the request on stdin, frames on a private descriptor.

A frame is one letter for its kind, four bytes for the payload's length (big-endian) and the payload. The host
reads frames with `afterburner.sandbox.frames`.
"""

from __future__ import annotations

import faulthandler
import os
import struct
import sys
from typing import TYPE_CHECKING, Optional, Tuple

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

_CHUNK = 1 << 20
_MOST_TOLD = 65_536
_LENGTH = struct.Struct(">I").pack


class Output:
    """The real stdout, kept for our frames, and the files that catch what user code prints in its place."""

    def __init__(self, descriptor: int, capture: int) -> None:
        """Take over `descriptor` for frames and `capture`, an append-only file, for what is printed."""
        self._descriptor = descriptor
        self._capture = capture
        self._errors: Optional[int] = None
        self._real_errors = 2
        self._told = 0
        self._write = os.write
        self._pread = os.pread
        self._truncate = os.ftruncate
        self._room = os.fstatvfs
        self._status = os.fstat

    def send(self, kind: bytes, payload: bytes) -> None:
        """Write one frame, at once and whole: what was sent before a crash is not lost."""
        self._write_all(self._descriptor, kind + _LENGTH(len(payload)) + payload)

    def capture_errors(self) -> None:
        """From now on, let a file catch what reaches descriptor 2: it is a part of what a call did.

        What the interpreter has to say when it crashes still goes to the real stderr.
        """
        self._real_errors = os.dup(2)
        self._errors = capture(2)
        faulthandler.enable(self._real_errors, all_threads=False)

    def tell(self, text: bytes) -> None:
        """Write to the real stderr, which the host reports; no more than the first few pages of it."""
        text = text[: _MOST_TOLD - self._told]
        self._told += len(text)
        self._write_all(self._real_errors, text)

    def _write_all(self, descriptor: int, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._write(descriptor, rest) :]

    def close(self) -> None:
        """Let go of the descriptor for frames: a process that was forked off has its own."""
        os.close(self._descriptor)

    def is_full(self) -> bool:
        """Whether the sandbox's disk is full, so that what was printed may not all be there."""
        return self._room(self._capture).f_bavail == 0

    def take_printed(self) -> bytes:
        """What reached descriptor 1 since the last time; flush `sys.stdout` first."""
        return self._take(self._capture)

    def errors(self) -> bytes:
        """The same, left where it is."""
        return self._read(self._errors) if self._errors is not None else b""

    def take_errors(self) -> bytes:
        """What reached descriptor 2 since the last time; flush `sys.stderr` first."""
        return self._take(self._errors) if self._errors is not None else b""

    def sizes(self) -> Tuple[int, int]:
        """How many bytes have reached descriptors 1 and 2 since they were taken."""
        errors = self._status(self._errors).st_size if self._errors is not None else 0
        return self._status(self._capture).st_size, errors

    def _take(self, captured: int) -> bytes:
        written = self._read(captured)
        if written:
            self._truncate(captured, 0)
        return written

    def _read(self, captured: int) -> bytes:
        parts = []
        position = 0
        while True:
            part = self._pread(captured, _CHUNK, position)
            if not part:
                break
            parts.append(part)
            position += len(part)
        return b"".join(parts)


def take_output() -> Output:
    """Move the real stdout to a private descriptor and let descriptor 1 lead to a file that catches what is printed."""
    descriptor = os.dup(1)  # not inheritable
    return Output(descriptor, capture())


def capture(replaced: int = 1, folder: str = "/tmp") -> int:  # noqa: S108 - the sandbox's own tmpfs
    """Let the descriptor `replaced` lead to a nameless file in `folder`, and give a descriptor of that file.

    A file rather than a pipe, so that user code that prints much never waits, and in the tmpfs rather than in
    memory of the kernel's, so that the sandbox's limit on written files holds for it.
    """
    path = os.path.join(folder, ".printed-%d" % os.getpid())
    captured = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
    os.unlink(path)
    os.dup2(captured, replaced, inheritable=True)
    return captured


def read_request() -> bytes:
    """All of stdin; afterwards stdin is empty, for user code must not find the request there."""
    parts = []
    while True:
        part = os.read(0, _CHUNK)
        if not part:
            break
        parts.append(part)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0, inheritable=True)
    os.close(empty)
    return b"".join(parts)


def leave_import_path() -> None:
    """Take the folder that holds our package off `sys.path`, before user code is imported."""
    own = os.path.abspath(__file__).removesuffix("/" + __name__.replace(".", "/") + ".py")
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != own]


def leave_modules() -> None:
    """Take our package out of `sys.modules`: user code must not replace there what we use."""
    package = __name__.partition(".")[0]
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]

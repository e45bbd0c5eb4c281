# ruff: noqa: PTH100, PTH108, PTH118, PTH120 - every Python has os.path loaded when it starts; pathlib takes a while
"""How a program of ours inside the sandbox talks to the host: the request on stdin, frames on a private descriptor.

A frame is one letter for its kind, four bytes for the payload's length (big-endian) and the payload. The host
reads frames with `afterburner.sandbox.frames`.
"""

from __future__ import annotations

import os
import struct
import sys
from typing import Optional

_CHUNK = 1 << 20


class Output:
    """The real stdout, kept for our frames, and the file that catches what user code prints in its place."""

    def __init__(self, descriptor: int, capture: int) -> None:
        """Take over `descriptor` for frames and `capture`, an append-only file, for what is printed."""
        self._descriptor = descriptor
        self._capture = capture
        self._write = os.write
        self._pread = os.pread
        self._truncate = os.ftruncate
        self._room = os.fstatvfs

    def send(self, kind: bytes, payload: bytes) -> None:
        """Write one frame, at once and whole: what was sent before a crash is not lost."""
        data = memoryview(kind + struct.pack(">I", len(payload)) + payload)
        while data:
            data = data[self._write(self._descriptor, data) :]

    def close(self) -> None:
        """Let go of the descriptor for frames: a process that was forked off has its own."""
        os.close(self._descriptor)

    def is_full(self) -> bool:
        """Whether the sandbox's disk is full, so that what was printed may not all be there."""
        return self._room(self._capture).f_bavail == 0

    def take_printed(self) -> bytes:
        """What reached descriptor 1 since the last time; flush `sys.stdout` first."""
        parts = []
        position = 0
        while True:
            part = self._pread(self._capture, _CHUNK, position)
            if not part:
                break
            parts.append(part)
            position += len(part)
        if parts:
            self._truncate(self._capture, 0)
        return b"".join(parts)


def take_output() -> Output:
    """Move the real stdout to a private descriptor and let descriptor 1 lead to a file that catches what is printed."""
    descriptor = os.dup(1)  # not inheritable
    return Output(descriptor, capture())


def capture(folder: str = "/tmp") -> int:  # noqa: S108 - the sandbox's own tmpfs
    """Let descriptor 1 lead to a nameless file in `folder`, and give a descriptor of that file.

    A file rather than a pipe, so that user code that prints much never waits, and in the tmpfs rather than in
    memory of the kernel's, so that the sandbox's limit on written files holds for it.
    """
    path = os.path.join(folder, ".printed-%d" % os.getpid())
    captured = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
    os.unlink(path)
    os.dup2(captured, 1, inheritable=True)
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


def leave_driver_folder(folder: Optional[str] = None) -> None:
    """Take the folder of our modules off `sys.path`, before user code could import by a name of ours."""
    own = folder or os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != own]

"""The line to a meter whose stdin and stdout are a container's, which the Docker daemon passes on.

What comes from the daemon is in frames (Engine API, "Attach to a container"): a byte for the stream, three zeros, the
length as a big-endian word of 32 bits, and that many bytes.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

_HEADER = struct.Struct(">B3xI")
_STDOUT = 1
_MOST_COMPLAINTS_BYTES = 2000


class DockerChannel:
    """A `Channel` over the connection that was attached to a container.

    `complaints` is the beginning of what the meter wrote on its stderr.
    """

    def __init__(self, connection: socket.socket) -> None:
        self.complaints = bytearray()
        self._socket = connection
        self._header = bytearray()
        self._stream = _STDOUT
        self._left = 0  # of the frame that is being read

    def sendall(self, data: bytes, /) -> None:
        """Sends all, or raises TimeoutError or ConnectionError."""
        self._socket.sendall(data)

    def recv_into(self, buffer: memoryview, /) -> int:
        """Receives some of the meter's stdout; 0 at the end.

        A call that ends with a TimeoutError loses nothing: the next one goes on where it stopped.
        """
        while True:
            if self._left == 0 and not self._next_frame():
                return 0
            if self._left > 0 and self._stream == _STDOUT:
                got = self._socket.recv_into(buffer[: self._left])
                self._left -= got
                return got
            while self._left > 0:
                if not (said := self._socket.recv(min(self._left, 65_536))):
                    return 0
                self._left -= len(said)
                self.complaints += said[: _MOST_COMPLAINTS_BYTES - len(self.complaints)]

    def settimeout(self, seconds: float | None, /) -> None:
        """Bounds each of the calls above."""
        self._socket.settimeout(seconds)

    def fileno(self) -> int:
        """The descriptor, to be polled."""
        return self._socket.fileno()

    def shutdown(self, how: int, /) -> None:
        """Hangs up, from any thread: the daemon then closes the meter's stdin."""
        self._socket.shutdown(how)

    def close(self) -> None:
        """Gives the descriptor back."""
        self._socket.close()

    def _next_frame(self) -> bool:
        while len(self._header) < _HEADER.size:
            if not (some := self._socket.recv(_HEADER.size - len(self._header))):
                return False
            self._header += some
        self._stream, self._left = _HEADER.unpack(self._header)
        self._header.clear()
        return True

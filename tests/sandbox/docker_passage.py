"""A Docker daemon that can seem to go away."""

from __future__ import annotations

import select
import socket
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path


class Passage:
    """Passes on to a daemon what comes in at another socket, until it is closed: then the daemon seems to be gone."""

    def __init__(self, address: str, path: Path) -> None:
        self._target = address.removeprefix("unix://")
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(path))
        self._server.listen()
        self._path = path
        self._thread = threading.Thread(target=self._serve)
        self._wake, self._told = socket.socketpair()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._thread.join()
        for end in (self._wake, self._told):
            end.close()

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        self._wake.sendall(b"x")

    def _serve(self) -> None:
        across: dict[socket.socket, socket.socket] = {}
        while True:
            ready, _, _ = select.select([self._told, self._server, *across], [], [])
            if self._told in ready:
                break
            for end in ready:
                if end is self._server:
                    inside, outside = self._server.accept()[0], socket.socket(socket.AF_UNIX)
                    outside.connect(self._target)
                    across |= {inside: outside, outside: inside}
                elif end in across:
                    self._pass(end, across)
        for end in (self._server, *across):
            end.close()

    @staticmethod
    def _pass(end: socket.socket, across: dict[socket.socket, socket.socket]) -> None:
        data = end.recv(65_536)
        if data:
            across[end].sendall(data)
            return
        other = across.pop(end)
        across.pop(other)
        end.close()
        other.close()

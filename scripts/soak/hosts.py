"""Starts, asks and ends processes that use a sandbox; see `scripts.soak.host`."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from scripts.soak.watch import Watch

_ROOT = Path(__file__).parents[2]
PRIVATE = {"XDG_RUNTIME_DIR": "runtime", "XDG_CACHE_HOME": "cache", "TMPDIR": "tmp"}
_LONGEST_SILENCE_S = 600.0  # a run and its compilation take a few minutes at worst
_CLOSE_TIMEOUT_S = 120.0


class HostFailedError(Exception):
    """A process that used a sandbox ended by itself, or said nothing any more."""


class Host:
    """One process that uses a sandbox in a private folder, known to the watch while it lives.

    Left by an error, it is ended as by Ctrl-C.
    """

    def __init__(self, arguments: Sequence[str], places: Mapping[str, str], folder: Path, watch: Watch) -> None:
        self._watch = watch
        self._heard = b""
        for name in PRIVATE.values():
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        self._line, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "scripts.soak.host", *arguments],
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                cwd=_ROOT,
                env={**os.environ, **{variable: str(folder / name) for variable, name in PRIVATE.items()}},
                process_group=0,  # Ctrl-C is for us; we then end it in order
            )
        watch.hosts.add(self._process.pid)
        watch.all_hosts.add(self._process.pid)
        self._say(json.dumps(dict(places)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(_CLOSE_TIMEOUT_S)
        finally:
            self.kill()
            self._line.close()

    def ask(self, first: int, count: int) -> None:
        """Asks for runs; `hear` tells of each, and None after the last."""
        self._say(f"{first} {count}")

    def hear(self) -> Any:
        """The next that it says.

        Raises:
            HostFailedError: there will be nothing more.
        """
        if not self.speaks(time.monotonic() + _LONGEST_SILENCE_S):
            raise HostFailedError(f"The host process says nothing for {_LONGEST_SILENCE_S:.0f} s.")
        line, _, self._heard = self._heard.partition(b"\n")
        return json.loads(line)

    def speaks(self, deadline: float) -> bool:
        """Whether there is something to hear, at a moment of the monotonic clock at the latest."""
        while b"\n" not in self._heard:
            if not select.select([self._line], [], [], max(0.0, deadline - time.monotonic()))[0]:
                return False
            heard = self._line.recv(65536)
            if not heard:
                raise self._ended()
            self._heard += heard
        return True

    def close(self) -> list[str]:
        """Lets it close its sandbox and leave; the descriptors that it had open by then."""
        self._line.shutdown(socket.SHUT_WR)
        found: list[str] = self.hear()["descriptors"]
        return found

    def kill(self) -> None:
        """Ends it at once, without a chance to tidy up."""
        self._process.kill()
        self._process.wait()
        self._watch.hosts.discard(self._process.pid)

    def _say(self, line: str) -> None:
        try:
            self._line.sendall(line.encode() + b"\n")
        except ConnectionError:
            raise self._ended() from None

    def _ended(self) -> HostFailedError:
        return HostFailedError(f"The host process ended by itself, with status {self._process.wait()}.")

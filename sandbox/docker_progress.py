"""Follows what a Docker daemon tells while it does something that takes minutes; hangs up when nobody waits."""

from __future__ import annotations

import queue
import socket
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from afterburner.sandbox.cancel import current_token
from afterburner.sandbox.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import docker

    from afterburner.sandbox.docker_daemon import DockerDaemon

LONGEST_S = 3600.0  # for one build, one installation, one pull
_LOOK_S = 0.2  # how often a wait looks whether it was cancelled
_QUEUED = 64  # steps of the daemon that wait for us; more wait there
_END = object()


def followed(daemon: DockerDaemon, ask: Callable[[docker.APIClient], Iterable[Any]]) -> Iterator[Any]:
    """What an answer brings, while the work is not cancelled: the daemon may be silent for minutes.

    Asking happens in a thread, on a connection of its own. Leaving early hangs up, which ends a build or a pull.

    Raises:
        UsageError: it takes longer than an hour.
        CancelledError: the work is cancelled.
        Exception: whatever the Docker SDK raises.
    """
    token, deadline = current_token(), time.monotonic() + LONGEST_S
    with daemon.own_client(timeout_s=LONGEST_S) as client:
        reader = _Reader(client, ask)
        reader.start()
        try:
            while True:
                token.raise_if_cancelled()
                if time.monotonic() > deadline:
                    raise UsageError(f"The Docker daemon was not done within {LONGEST_S / 60:.0f} minutes.")
                try:
                    step = reader.arrived.get(timeout=_LOOK_S)
                except queue.Empty:
                    continue
                if step is _END:
                    token.raise_if_cancelled()  # it may have failed for that
                    if reader.error is not None:
                        raise reader.error
                    return
                yield step
        finally:
            reader.hang_up()


class _Reader(threading.Thread):
    """Reads an answer of the daemon into a queue; `_END` is the last in it, and `error` then says what went wrong."""

    def __init__(self, client: docker.APIClient, ask: Callable[[docker.APIClient], Iterable[Any]]) -> None:
        super().__init__(name="docker progress", daemon=True)
        self.arrived: queue.Queue[Any] = queue.Queue(_QUEUED)
        self.error: BaseException | None = None
        self._client = client
        self._ask = ask
        self._answers: list[Any] = []
        self._is_left = threading.Event()
        client.hooks["response"].append(lambda answer, **_: self._answers.append(answer))

    def run(self) -> None:
        """Ask, and read to the end."""
        try:
            for step in self._ask(self._client):
                if not self._put(step):
                    return
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
            self.error = error
        self._put(_END)

    def hang_up(self) -> None:
        """Leave the rest unread."""
        self._is_left.set()
        for answer in self._answers:
            _wake(answer)
        self.join(_LOOK_S)

    def _put(self, step: Any) -> bool:
        """Whether anybody took it."""
        while not self._is_left.is_set():
            with suppress(queue.Full):
                self.arrived.put(step, timeout=_LOOK_S)
                return True
        return False


def _wake(answer: Any) -> None:
    """Ends the wait of whoever reads an answer. Closing it, which is all that requests can do, leaves them waiting."""
    place = getattr(answer.raw, "_fp", None)
    for name in ("fp", "raw", "_sock"):
        place = getattr(place, name, None)
    if isinstance(place, socket.socket):
        with suppress(OSError):
            place.shutdown(socket.SHUT_RDWR)

"""Containers that are started before they are asked for: starting one takes the daemon a quarter of a second."""

from __future__ import annotations

import select
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.sandbox.errors import AfterburnerError, SandboxInternalError

if TYPE_CHECKING:
    from collections.abc import Callable
    from tempfile import TemporaryDirectory

    from afterburner.sandbox.docker_channel import DockerChannel
    from afterburner.sandbox.types import ContainerSpec

_MOST_KINDS = 8  # of containers that are kept ready; the one that was not asked for the longest goes
_THREADS = 2  # that start and end containers in the background
_TAKE_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Started:
    """A container that runs, and has not been used."""

    identity: str
    channel: DockerChannel
    folder: TemporaryDirectory[str]

    def is_alive(self) -> bool:
        """Whether the daemon still holds the line."""
        poll = select.poll()
        poll.register(self.channel.fileno(), getattr(select, "POLLRDHUP", 0))  # hanging up is told in any case
        return not poll.poll(0)


@dataclass(slots=True)
class _Shelf:
    """The containers of one kind."""

    ready: list[Started] = field(default_factory=list)
    coming: int = 0  # being started in the background
    waiting: int = 0  # threads that wait for one of those


class DockerPool:
    """Hands out each container once; several threads may use it at once.

    Args:
        start: starts a container.
        end: ends one, and takes away what it had.
        size: how many of each kind to keep ready; 0: none is started before it is asked for.
    """

    def __init__(self, start: Callable[[ContainerSpec], Started], end: Callable[[Started], None], size: int) -> None:
        self._start = start
        self._end = end
        self._size = size
        self._shelves: OrderedDict[ContainerSpec, _Shelf] = OrderedDict()
        self._changed = threading.Condition()
        self._closed = False
        self._background = ThreadPoolExecutor(_THREADS, thread_name_prefix="docker-pool")

    def take(self, spec: ContainerSpec, *, keep_ready: bool) -> Started:
        """A container of that kind, to be given back after use.

        Args:
            spec: what it shows and may use.
            keep_ready: somebody will soon ask for another one of the same kind.

        Raises:
            SandboxInternalError: it does not start, or the pool is closed.
        """
        if not keep_ready or self._size == 0:
            return self._start(spec)
        with self._changed:
            shelf = self._shelf(spec)
            started = self._next(shelf)
            self._refill(spec, shelf)
        return started or self._start(spec)

    def give_back(self, started: Started) -> None:
        """Ends a container, in the background."""
        try:
            self._background.submit(self._end_quietly, started)
        except RuntimeError:  # the pool is closed
            self._end_quietly(started)

    def close(self) -> None:
        """Ends every container that is ready, and waits until all that were given back are gone."""
        with self._changed:
            self._closed = True
            shelves = list(self._shelves.values())
            self._shelves.clear()
            self._changed.notify_all()
        for shelf in shelves:
            self._drop(shelf)
        self._background.shutdown()

    def _shelf(self, spec: ContainerSpec) -> _Shelf:
        if self._closed:
            raise SandboxInternalError("The sandbox is closed.")
        shelf = self._shelves.setdefault(spec, _Shelf())
        self._shelves.move_to_end(spec)
        while len(self._shelves) > _MOST_KINDS:
            self._drop(self._shelves.popitem(last=False)[1])
        return shelf

    def _next(self, shelf: _Shelf) -> Started | None:
        """One that is ready, or is about to be; None: start one."""
        while not self._closed:
            while shelf.ready:
                started = shelf.ready.pop(0)
                if started.is_alive():
                    return started
                self.give_back(started)
            if shelf.coming <= shelf.waiting:
                return None
            shelf.waiting += 1
            try:
                self._changed.wait(_TAKE_TIMEOUT_S)
            finally:
                shelf.waiting -= 1
        raise SandboxInternalError("The sandbox is closed.")

    def _refill(self, spec: ContainerSpec, shelf: _Shelf) -> None:
        while not self._closed and len(shelf.ready) + shelf.coming < self._size:
            shelf.coming += 1
            self._background.submit(self._add, spec, shelf)

    def _add(self, spec: ContainerSpec, shelf: _Shelf) -> None:
        started = None
        try:
            if not self._closed:
                with suppress(AfterburnerError):  # whoever asks next starts one, and hears why it does not
                    started = self._start(spec)
        finally:
            with self._changed:
                shelf.coming -= 1
                wanted = self._shelves.get(spec) is shelf
                if started is not None and wanted:
                    shelf.ready.append(started)
                self._changed.notify_all()
            if started is not None and not wanted:
                self._end_quietly(started)

    def _drop(self, shelf: _Shelf) -> None:
        while shelf.ready:
            self.give_back(shelf.ready.pop())

    def _end_quietly(self, started: Started) -> None:
        with suppress(AfterburnerError):  # it ends with its line; the next process of ours removes what is left
            self._end(started)

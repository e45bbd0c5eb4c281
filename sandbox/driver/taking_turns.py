"""Whose turn it is among processes that make the same calls: each goes on by itself, or they do so one by one."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there


class Alone:
    """The place of a process that waits for no other."""

    def begin(self) -> None:
        """Be ready for the calls."""

    def next(self) -> None:
        """Be about to make a call."""

    def end(self) -> None:
        """Have made all calls."""


class Turns(Alone):
    """A place in a ring of processes that begin together, and only one of which goes on at a time."""

    def __init__(self, reading: int, writing: int, *, call_by_call: bool) -> None:
        """`reading` is a pipe through which our turn comes, `writing` one that hands it on; it is not ours yet.

        Without `call_by_call` the processes only begin together.
        """
        self._reading, self._writing, self._call_by_call = reading, writing, call_by_call
        self._read, self._write, self._leave = os.read, os.write, os._exit
        self._poll = select.poll()
        self._poll.register(reading, select.POLLIN)
        self._is_ours = self._is_first = False

    def begin(self) -> None:
        """Wait until all are ready: until the turn has been once round the ring and is here again."""
        self._wait()
        self._hand_on()
        self._wait()
        self._is_first = True
        if not self._call_by_call:
            self._hand_on()

    def next(self) -> None:
        """Let the others make their next call, and wait for our turn; or until the process before us has died."""
        if self._call_by_call and not self._is_first:
            self._hand_on()
            self._wait()
        self._is_first = False

    def end(self) -> None:
        """Let the others make their last call: what comes now must not disturb them."""
        self.next()
        self._hand_on()

    def _wait(self) -> None:
        self._read(self._reading, 1)
        self._is_ours = True

    def _hand_on(self) -> None:
        """Let the next one go on. There is one turn: that it is here and still comes is somebody's forgery."""
        if not self._is_ours:
            return
        self._is_ours = False
        if any(event == select.POLLIN for _, event in self._poll.poll(0)):
            self._leave(1)
        try:
            self._write(self._writing, b"t")
        except OSError:
            return  # the next one has died, and nobody waits for us

"""Cancelling work from another thread."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from afterburner.sandbox.errors import CancelledError
from afterburner.sandbox.waiting import TURN_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

Result = TypeVar("Result")


class CancelToken:
    """Lets one thread cancel work in other threads. A cancelled token stays cancelled."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], object]] = []

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Cancel: every registered callback is called once, in this thread; later calls do nothing.

        Raises:
            Exception: the first error that a callback raised, after all were called.
        """
        with self._lock:
            if self._event.is_set():
                return
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        errors = []
        for callback in callbacks:
            try:
                callback()
            except Exception as error:  # noqa: BLE001 - the others have things to stop, too
                errors.append(error)
        if errors:
            raise errors[0]

    def wait(self, seconds: float) -> bool:
        """Wait for a cancel, at most `seconds`; return whether it came."""
        return self._event.wait(seconds)

    def raise_if_cancelled(self) -> None:
        """Leave the work, if it is cancelled.

        Raises:
            CancelledError: it is.
        """
        if self._event.is_set():
            raise CancelledError

    def wait_for(self, future: Future[Result]) -> Result:
        """Wait for another thread's result, and return it or raise its error.

        Raises:
            CancelledError: it was cancelled before.
        """
        woken = threading.Event()
        future.add_done_callback(lambda _: woken.set())
        with self.on_cancel(woken.set):
            while not woken.wait(TURN_S):
                continue
        if not future.done():
            raise CancelledError
        return future.result()

    @contextmanager
    def on_cancel(self, callback: Callable[[], object]) -> Iterator[None]:
        """Call `callback` on a cancel while the block runs, or at once if the token is already cancelled."""
        with self._lock:
            is_late = self._event.is_set()
            if not is_late:
                self._callbacks.append(callback)
        if is_late:
            callback()
        try:
            yield
        finally:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)


_current: ContextVar[CancelToken | None] = ContextVar("current_cancel_token", default=None)


@contextmanager
def cancellable(token: CancelToken) -> Iterator[None]:
    """Let `token` cancel what the block does, in this thread and in those that inherit its context.

    What runs in the sandbox is stopped with the sandbox; this is for our own work on the host, such as copying a
    project, for which it would be tedious to pass a token through every call.
    """
    before = _current.set(token)
    try:
        yield
    finally:
        _current.reset(before)


def current_token() -> CancelToken:
    """The token of the innermost `cancellable` around; outside of one, a token that nobody cancels."""
    return _current.get() or CancelToken()


def raise_if_cancelled() -> None:
    """Raise if the caller has cancelled the current work on the host. Call this a few times a second.

    Raises:
        CancelledError: it is cancelled.
    """
    current_token().raise_if_cancelled()

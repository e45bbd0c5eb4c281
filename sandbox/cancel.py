"""Cancelling work from another thread."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from afterburner.sandbox.errors import CancelledError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class CancelToken:
    """One thread cancels, others notice. A token that was cancelled stays so."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], object]] = []

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Cancel: every registered callback is called once, in this thread; later calls do nothing."""
        with self._lock:
            if self._event.is_set():
                return
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def wait(self, seconds: float) -> bool:
        """Wait until it is cancelled, at most so long; whether it was."""
        return self._event.wait(seconds)

    def raise_if_cancelled(self) -> None:
        """Leave the work, if it is cancelled.

        Raises:
            CancelledError: it is.
        """
        if self._event.is_set():
            raise CancelledError

    @contextmanager
    def on_cancel(self, callback: Callable[[], object]) -> Iterator[None]:
        """Have a callback called on cancelling while the block runs; at once if it has happened already."""
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

"""The running jobs of a session. Each can be cancelled, and none outlives the session."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from afterburner.sandbox import CancelledError, CancelToken, UsageError
from afterburner.sandbox.cancel import cancellable

if TYPE_CHECKING:
    from collections.abc import Iterator


class ActiveJobs:
    """Tracks the running jobs. Any thread may begin one."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._threads: dict[CancelToken, int] = {}
        self._is_closed = False

    @contextmanager
    def job(self, cancel: CancelToken | None) -> Iterator[CancelToken]:
        """Yield the token of a new job. The caller's own token and `close` both cancel it.

        An error in the block after a cancel is raised as a CancelledError.

        Raises:
            CancelledError: the job was cancelled.
            UsageError: the session is closed.
        """
        token = CancelToken()
        with self._changed:
            if self._is_closed:
                raise UsageError("The session is closed: its `with` block has ended. Open another one.")
            self._threads[token] = threading.get_ident()
        try:
            with (cancel or CancelToken()).on_cancel(token.cancel), cancellable(token):
                token.raise_if_cancelled()
                yield token
        except CancelledError:
            raise
        except Exception as error:
            if token.cancelled:
                raise CancelledError from error
            raise
        finally:
            with self._changed:
                del self._threads[token]
                self._changed.notify_all()

    def close(self) -> None:
        """Cancel all jobs, wait until those of other threads have stopped, and let nothing more begin.

        If a job of this thread calls this from its progress events, it ends when it continues.
        """
        with self._changed:
            self._is_closed = True
            tokens = tuple(self._threads)
        for token in tokens:
            token.cancel()
        ours = threading.get_ident()
        with self._changed:
            self._changed.wait_for(lambda: all(thread == ours for thread in self._threads.values()))

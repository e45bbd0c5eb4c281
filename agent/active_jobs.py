"""The jobs that a session works on now: each can be cancelled, and none outlives its session."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from afterburner.sandbox import CancelledError, CancelToken, UsageError
from afterburner.sandbox.cancel import cancellable

if TYPE_CHECKING:
    from collections.abc import Iterator


class ActiveJobs:
    """Counts jobs in and out; any thread may begin one."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._threads: dict[CancelToken, int] = {}
        self._is_closed = False

    @contextmanager
    def job(self, cancel: CancelToken | None) -> Iterator[CancelToken]:
        """The token of a job: cancelled by the caller's own token, and by `close`.

        Whatever fails in the block because of that is raised as a CancelledError.

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

        A job of this thread, which has called us from its progress, ends once it goes on.
        """
        with self._changed:
            self._is_closed = True
            tokens = tuple(self._threads)
        for token in tokens:
            token.cancel()
        ours = threading.get_ident()
        with self._changed:
            self._changed.wait_for(lambda: all(thread == ours for thread in self._threads.values()))

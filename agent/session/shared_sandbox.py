"""The sandbox of a session: opened when a job first needs it, once, for all of them."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

from afterburner.sandbox import CancelledError, Sandbox, open_sandbox

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from afterburner.sandbox import CancelToken

_Opened = tuple["AbstractContextManager[Sandbox]", Sandbox]


class SharedSandbox:
    """Opens the sandbox in a thread of its own: a job that is cancelled meanwhile does not wait for a slow daemon.

    The next job finds what that thread has opened by then.
    """

    def __init__(self, backend: str) -> None:
        """Take what `open_sandbox` takes; nothing is opened yet."""
        self._backend = backend
        self._lock = threading.Lock()
        self._opening: Future[_Opened] | None = None
        self._is_closed = False

    def get(self, cancel: CancelToken) -> Sandbox:
        """The open sandbox. Where opening failed for an earlier job, it is tried again.

        Raises:
            CancelledError: the job was cancelled before the sandbox was open.
            AfterburnerError: it cannot be opened, see `open_sandbox`.
        """
        with self._lock:
            if self._opening is None or _has_failed(self._opening):
                self._opening = Future()
                threading.Thread(target=self._open, args=(self._opening,), daemon=True, name="open sandbox").start()
            opening = self._opening
        return cancel.wait_for(opening)[1]

    def close(self) -> None:
        """Close what is open. If it is still being opened, that thread closes it."""
        with self._lock:
            self._is_closed = True
            opening, self._opening = self._opening, None
        if opening is not None and opening.done() and not _has_failed(opening):
            opening.result()[0].__exit__(None, None, None)

    def _open(self, opening: Future[_Opened]) -> None:
        try:
            context = open_sandbox(self._backend)
            opened = context, context.__enter__()  # left by `close`, in another thread
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            opening.set_exception(error)
            return
        with self._lock:
            if not self._is_closed:
                opening.set_result(opened)
                return
        context.__exit__(None, None, None)
        opening.set_exception(CancelledError())


class SessionSandboxes:
    """The sandbox of a session, and Docker's for jobs that run in an image where the choice was left to us."""

    def __init__(self, sandbox: str | Sandbox) -> None:
        """Take what `open_session` takes; nothing is opened yet."""
        self._given = sandbox if isinstance(sandbox, Sandbox) else None
        backend = sandbox if isinstance(sandbox, str) else ""
        self._plain = SharedSandbox(backend)
        self._of_images = SharedSandbox("docker") if backend == "auto" else self._plain

    def get(self, cancel: CancelToken, *, wants_image: bool) -> Sandbox:
        """The open sandbox for a job.

        Raises:
            CancelledError, AfterburnerError: as `SharedSandbox.get`.
        """
        if self._given is not None:
            return self._given
        return (self._of_images if wants_image else self._plain).get(cancel)

    def close(self) -> None:
        """Close what was opened here, and not what the caller opened."""
        self._plain.close()
        self._of_images.close()


def _has_failed(opening: Future[_Opened]) -> bool:
    return opening.done() and opening.exception() is not None

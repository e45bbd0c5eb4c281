"""A run's progress as the client shows it: a bar with a line of text that says where it is."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING
from uuid import uuid4

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from afterburner.agent.progress_lines import message_of
from afterburner.lsp_server.latest_event import LEAST_S, LatestEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pygls.lsp.server import LanguageServer

    from afterburner.agent.events import ProgressEvent

_LOOK_S = 1.0  # between two looks at what the user edits


class Progress:
    """The progress of one run. All methods but `report` belong to the thread of the server's loop."""

    def __init__(self, server: LanguageServer, title: str) -> None:
        """Nothing is shown before `begin`."""
        self.token = str(uuid4())
        self._server = server
        self._title = title
        self._latest = LatestEvent()
        self._percentage = 0
        self._question = ""  # that nobody has answered yet, in words
        self._message = "starting"  # of the last event
        self._watch: Callable[[], str] | None = None
        self._note = ""  # what it said last
        self._looked_s = 0.0
        self._shows: asyncio.Task[None] | None = None  # None: the client shows nothing

    @contextlib.contextmanager
    def asking(self, about: str) -> Iterator[None]:
        """Say that the run waits for the user's answer to a question, while the block lasts."""
        self._question = f"waiting for your answer to the question about {about}"
        self._tell(self._question)
        try:
            yield
        finally:
            self._question = ""
            self._tell(self._message)

    async def begin(self) -> None:
        """Let the client show the run, where it can."""
        window = self._server.client_capabilities.window
        if window is None or not window.work_done_progress:
            self._log(f"{self._title}: begun")
            return
        params = types.WorkDoneProgressCreateParams(token=self.token)
        try:
            await self._server.window_work_done_progress_create_async(params)
        except JsonRpcException:
            return
        self._send(types.WorkDoneProgressBegin(title=self._title, cancellable=True, message="waiting", percentage=0))
        self._shows = asyncio.ensure_future(self._show())

    def watch(self, note: Callable[[], str]) -> None:
        """Ask from now on, again and again, what is to be said before the message of each event; empty: nothing."""
        self._watch = note

    def report(self, event: ProgressEvent) -> None:
        """Show an event, unless another one follows at once. Any thread may call it."""
        self._latest.put(event)

    def end(self, message: str) -> None:
        """End it with what came of the run."""
        if self._shows is not None:
            self._shows.cancel()
            self._shows = None
            self._send(types.WorkDoneProgressEnd(message=message))
        else:
            self._log(f"{self._title}: {message}")

    async def _show(self) -> None:
        while True:
            await asyncio.sleep(LEAST_S)
            if self._question:
                continue
            event, note = self._latest.due(), self._noted()
            if event is not None:
                self._percentage, self._message = int(100 * event.fraction), message_of(event)
            if event is not None or note != self._note:
                self._note = note
                self._tell(f"{note} ({self._message})" if note else self._message)

    def _noted(self) -> str:
        if self._watch is None or time.monotonic() - self._looked_s < _LOOK_S:
            return self._note
        self._looked_s = time.monotonic()
        return self._watch()

    def _tell(self, message: str) -> None:
        if self._shows is not None:
            self._send(types.WorkDoneProgressReport(message=message, percentage=self._percentage))

    def _send(
        self, value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd
    ) -> None:
        self._server.progress(types.ProgressParams(token=self.token, value=value))

    def _log(self, message: str) -> None:
        self._server.window_log_message(types.LogMessageParams(type=types.MessageType.Info, message=message))

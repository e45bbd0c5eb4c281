"""A run's progress as the client shows it: a bar with a line of text that says where it is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from uuid import uuid4

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from afterburner.agent.progress_lines import line_of
from afterburner.agent.usage import told
from afterburner.agent.wording import format_ratio

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

    from afterburner.agent.events import ProgressEvent

_LEAST_S = 0.2  # between two reports


class Progress:
    """The progress of one run. All methods belong to the thread of the server's loop."""

    def __init__(self, server: LanguageServer, title: str) -> None:
        """Nothing is shown before `begin`."""
        self.token = str(uuid4())
        self._server = server
        self._title = title
        self._shown_s = 0.0
        self._is_shown = False

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
        self._is_shown = True
        self._send(types.WorkDoneProgressBegin(title=self._title, cancellable=True, message="waiting", percentage=0))

    def report(self, event: ProgressEvent) -> None:
        """Show the current stage, at most five times a second."""
        now_s = time.monotonic()
        if not self._is_shown or now_s - self._shown_s < _LEAST_S:
            return
        self._shown_s = now_s
        self._send(types.WorkDoneProgressReport(message=message_of(event), percentage=int(100 * event.fraction)))

    def end(self, message: str) -> None:
        """End it with what came of the run."""
        if self._is_shown:
            self._send(types.WorkDoneProgressEnd(message=message))
        else:
            self._log(f"{self._title}: {message}")

    def _send(
        self, value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd
    ) -> None:
        self._server.progress(types.ProgressParams(token=self.token, value=value))

    def _log(self, message: str) -> None:
        self._server.window_log_message(types.LogMessageParams(type=types.MessageType.Info, message=message))


def message_of(event: ProgressEvent) -> str:
    """`round 2: 2.1 rules: promising: 3.1x (2.8x to 3.4x) · best 3.1x · 12 s · $0.0031`."""
    parts = [line_of(event)]
    if event.iteration:
        parts[0] = f"round {event.iteration}: {parts[0]}"
    if event.best_ratio and event.best_ratio > 1:
        parts.append(f"best {format_ratio(event.best_ratio)}")
    parts.append(f"{event.elapsed_s:.0f} s")
    if event.usage.requests:
        parts.append(told(event.usage))
    return " · ".join(parts)

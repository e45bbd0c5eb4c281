"""Carries out work in a thread for a client that waits: with progress, cancellable, one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import anyio.lowlevel
from anyio import to_thread
from mcp.server.mcpserver.exceptions import ToolError

from afterburner.agent import AfterburnerError, CancelledError, CancelToken
from afterburner.agent.progress_lines import message_of
from afterburner.lsp_server.latest_event import LEAST_S, LatestEvent
from afterburner.lsp_server.mcp_server.answers import in_words_of_tools

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.mcpserver import Context

    from afterburner.agent.events import OnEvent

Result = TypeVar("Result")
_STEP = 0.0001  # of the work
_WAITING_S = 2.0  # between two reports of a call that waits for its turn


class Runner:
    """Runs one piece of work after the other: two at once would disturb each other's measurements."""

    def __init__(self) -> None:
        """Nothing runs yet."""
        self._turn = anyio.Lock()

    async def run(self, context: Context[Any, Any], work: Callable[[CancelToken, OnEvent], Result]) -> Result:
        """Do the work in a thread, report its progress, and cancel it if the client cancels its request.

        Raises:
            ToolError: the work failed, with a message that says what to do.
        """
        try:
            return await _in_thread(context, work, self._turn)
        except CancelledError:
            await anyio.lowlevel.checkpoint()  # the client's own cancel ends the request here, without an answer
            raise ToolError("The call was cancelled.") from None
        except AfterburnerError as error:
            raise ToolError(in_words_of_tools(str(error))) from error


async def _in_thread(
    context: Context[Any, Any], work: Callable[[CancelToken, OnEvent], Result], turn: anyio.Lock
) -> Result:
    cancel, latest, is_waiting = CancelToken(), LatestEvent(), True

    async def report() -> None:
        shown, told_s = 0.0, anyio.current_time()
        try:
            while True:
                await anyio.sleep(LEAST_S)
                if is_waiting and anyio.current_time() - told_s >= _WAITING_S:
                    shown, told_s = shown + _STEP, anyio.current_time()
                    await context.report_progress(shown, 1, "waiting for another call to end")
                if (event := latest.due()) is not None:
                    shown = max(event.fraction, shown + _STEP)  # MCP: it must increase with each report
                    await context.report_progress(shown, 1, message_of(event))
        finally:
            cancel.cancel()  # the thread goes on until it sees this

    ended: list[Result | Exception] = []
    async with anyio.create_task_group() as group:
        group.start_soon(report)
        try:
            async with turn:
                is_waiting = False
                ended.append(await to_thread.run_sync(work, cancel, latest.put))
        except Exception as error:  # noqa: BLE001 - leaves the group as itself, not in a group of exceptions
            ended.append(error)
        group.cancel_scope.cancel()
    [outcome] = ended
    if isinstance(outcome, Exception):
        raise outcome
    return outcome

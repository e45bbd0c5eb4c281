"""Whether code of a workspace may run: the client says so, or its user does, once for each project."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

    from afterburner.agent import TrustRequest
    from afterburner.agent.job.trust import Trust

AGREE, REFUSE = "Run it in the sandbox", "Do not run it"


class TrustAsker:
    """Asks through `window/showMessageRequest`, and keeps the answers as long as the server lives."""

    def __init__(self, server: LanguageServer) -> None:
        """Nothing is asked before a run needs it."""
        self._server = server
        self._answers: dict[str, asyncio.Task[bool]] = {}

    def hook(self, *, is_trusted: bool) -> Trust:
        """The trust hook of a session. It is called in the session's threads, and asks in the loop's."""
        loop = asyncio.get_running_loop()

        def decide(request: TrustRequest) -> bool:
            if is_trusted:
                return True
            return asyncio.run_coroutine_threadsafe(self._answer(request), loop).result()

        return decide

    async def _answer(self, request: TrustRequest) -> bool:
        """The answer for a folder: it holds for its code and for its settings."""
        task = self._answers.get(request.folder)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None or not task.result())):
            task = self._answers[request.folder] = asyncio.ensure_future(self._ask(request))
        return await asyncio.shield(task)

    async def _ask(self, request: TrustRequest) -> bool:
        answer = await self._server.window_show_message_request_async(
            types.ShowMessageRequestParams(
                type=types.MessageType.Warning,
                message=(
                    f"Afterburner: {request.detail}. May code of {request.folder} run? It gets no network, no secrets, "
                    "and cannot write outside the sandbox."
                ),
                actions=[types.MessageActionItem(title=AGREE), types.MessageActionItem(title=REFUSE)],
            )
        )
        return answer is not None and answer.title == AGREE

"""Whether code of a workspace may run: the client says so, or its user does, once for each project."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from afterburner.agent.job.trust import TrustQuestion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from pygls.lsp.server import LanguageServer

    from afterburner.agent import TrustRequest
    from afterburner.agent.job.trust import Trust

_Key = tuple[str, str, str]  # the question, the folder, and what it is about
_LINKS = str.maketrans("[]", "⟦⟧")  # editors turn links in a message into something to click
AGREE = {"run_code": "Run it in the sandbox", "use_settings": "Use these settings"}
ABOUT = {"run_code": "running code of {folder}", "use_settings": "using settings of {folder}"}
REFUSE = {"run_code": "Do not run it", "use_settings": "Do not use them"}
QUESTION = {
    "run_code": (
        "May code of {folder} run? It runs in the sandbox: without a network, without secrets, and without writing "
        "outside."
    ),
    "use_settings": (
        "May settings of a project be used? A model is sent the code and may cost money; a program, such as an "
        "interpreter, is also started outside the sandbox. {detail}."
    ),
}


class TrustAsker:
    """Asks through `window/showMessageRequest`. An agreement holds while the server lives, a refusal for the run."""

    def __init__(self, server: LanguageServer) -> None:
        """Nothing is asked before a run needs it."""
        self._server = server
        self._agreed: set[_Key] = set()

    def hook(
        self, trusted: Sequence[Path], asking: Callable[[str], AbstractContextManager[None]] | None = None
    ) -> Trust:
        """The trust hook of one run. A session calls it in threads of its own; the question is asked in the loop.

        Args:
            trusted: the folders that the client vouches for.
            asking: is entered while a question waits, with what it is about; None: nobody is told.
        """
        loop = asyncio.get_running_loop()
        refused: set[_Key] = set()

        async def told_ask(request: TrustRequest) -> bool:
            about = ABOUT[request.question.value].format(folder=Path(request.folder).name)
            with asking(about) if asking is not None else contextlib.nullcontext():
                return await self._ask(request)

        def decide(request: TrustRequest) -> bool:
            about = request.detail if request.question is TrustQuestion.USE_SETTINGS else ""
            key = request.question.value, request.folder, about
            if key in self._agreed or any(Path(request.folder).resolve().is_relative_to(each) for each in trusted):
                return True
            if key in refused:
                return False
            is_agreed = asyncio.run_coroutine_threadsafe(told_ask(request), loop).result()
            (self._agreed if is_agreed else refused).add(key)
            return is_agreed

        return decide

    async def _ask(self, request: TrustRequest) -> bool:
        question = request.question.value
        is_about_settings = request.question is TrustQuestion.USE_SETTINGS
        first, second = (REFUSE, AGREE) if is_about_settings else (AGREE, REFUSE)  # editors highlight the first
        actions = [types.MessageActionItem(title=each[question]) for each in (first, second)]
        named = {"folder": request.folder, "detail": request.detail}
        named = {name: text.translate(_LINKS) for name, text in named.items()}
        message = "Afterburner: " + QUESTION[question].format(**named)
        params = types.ShowMessageRequestParams(type=types.MessageType.Warning, message=message, actions=actions)
        try:
            answer = await self._server.window_show_message_request_async(params)
        except JsonRpcException:
            told = 'This editor cannot ask. To agree, set "trusted": true in the initialization options of the server.'
            self._server.window_show_message(
                types.ShowMessageParams(type=types.MessageType.Warning, message=f"{message} {told}")
            )
            return False
        return answer is not None and answer.title == AGREE[question]

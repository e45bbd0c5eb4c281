"""The state of one server: documents, offers, runs, settings. Only the event-loop thread uses it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path, uri_scheme

from afterburner.lsp_server.hints import Hints
from afterburner.lsp_server.offers import Offers
from afterburner.lsp_server.previews import Previews
from afterburner.lsp_server.protocol import Protocol, failed
from afterburner.lsp_server.runs import Runs
from afterburner.lsp_server.settings import SECTION, EditorSettings, read_settings
from afterburner.lsp_server.text.modules import module_now, module_of
from afterburner.lsp_server.text.outline import outline
from afterburner.lsp_server.trust import TrustAsker

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from afterburner.lsp_server.text.documents import Document
    from afterburner.lsp_server.text.modules import Module
    from afterburner.lsp_server.text.outline import OutlinedFunction

logger = logging.getLogger(__name__)
_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(notebook="*", cells=[types.NotebookCellLanguage(language="python")])
    ]
)


class Server(LanguageServer):
    """The state of one server: documents, offers, runs, settings."""

    protocol: Protocol

    def __init__(self, version: str, *, may_trust_client: bool = True) -> None:
        """A server that waits for its first message.

        Args:
            version: of the program.
            may_trust_client: whether a client may vouch for its workspace. Over TCP nobody knows who that is.
        """
        super().__init__(
            "afterburner", version, protocol_cls=Protocol, max_workers=1, notebook_document_sync=_NOTEBOOKS
        )
        self.may_trust_client = may_trust_client
        self.offers = Offers()
        self.runs = Runs()
        self.hints = Hints()
        self.lookup = asyncio.Lock()  # one lookup in the store of runs at a time
        self.trust = TrustAsker(self)
        self.changed = asyncio.Event()  # whenever a document has changed
        self.previews = Previews()
        self.initial_settings: object = None
        self.pushed_settings: object = None
        self._outlines: dict[str, tuple[str, list[OutlinedFunction]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def pages(self) -> Path:
        """Where reports are written; it is deleted with the server."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="afterburner-reports-")
        return Path(self._folder.name)

    def document(self, uri: str) -> Document | None:
        """An open document of Python."""
        found = self.protocol.documents().document(uri)
        return found if found is not None and found.is_python else None

    def outline_of(self, document: Document) -> list[OutlinedFunction]:
        """The functions of a document as it is now."""
        kept = self._outlines.get(document.uri)
        if kept is None or kept[0] != document.source:
            kept = self._outlines[document.uri] = document.source, outline(document.python)
        return kept[1]

    def module_of(self, document: Document) -> Module:
        """The module that a document belongs to."""
        return module_of(document, self.protocol.documents())

    def now(self, module: Module) -> Module:
        """A module as the client holds it now; as it was, if the client has closed it."""
        return module_now(module, self.protocol.documents())

    def forget(self, uri: str) -> None:
        """Forget what was known of the text of a document that is closed."""
        self._outlines.pop(uri, None)
        if uri_scheme(uri) == "file":  # the store of runs has its results, for when it is opened again
            self.offers.forget(uri)

    def say(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Tell the user something. Blanks beside each other are kept apart: VS Code shows one for several."""
        self.window_show_message(types.ShowMessageParams(type=kind, message=message.replace("  ", " \xa0")))

    def log(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Tell the user something that nobody has asked for: in the client's log, without a window."""
        self.window_log_message(types.LogMessageParams(type=kind, message=message))

    def begin(self, task: Coroutine[Any, Any, None], *, is_asked_for: bool = True) -> None:
        """Start a background task. An error of it is logged, and told to a user who has asked for it."""
        begun = asyncio.ensure_future(task)
        self._tasks.add(begun)
        begun.add_done_callback(partial(self._ended, is_asked_for=is_asked_for))

    def _ended(self, task: asyncio.Task[None], *, is_asked_for: bool) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            logger.error("a background task failed", exc_info=error)
            (self.say if is_asked_for else self.log)(bug_of_ours(error), types.MessageType.Error)

    async def settings_of(self, uri: str) -> EditorSettings:
        """The settings that hold for a document; the client is asked, if it can be.

        Raises:
            EditorSettingsError: one of them is of the wrong type.
        """
        configured = [self.pushed_settings]
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.configuration:
            item = types.ConfigurationItem(scope_uri=uri, section=SECTION)
            with contextlib.suppress(JsonRpcException):
                answer = await self.workspace_configuration_async(types.ConfigurationParams(items=[item]))
                configured += answer or []
        return read_settings(self.initial_settings, *configured)

    def trusted_folders(self, settings: EditorSettings) -> list[Path]:
        """The folders whose code may run without a question: the client's own, if it vouches for them."""
        return self.opened_folders() if settings.trusted and self.may_trust_client else []

    def opened_folders(self) -> list[Path]:
        """The folders that the client has opened."""
        documents = self.protocol.documents()
        named = [documents.root_path, *(to_fs_path(each.uri) for each in documents.folders.values())]
        return [Path(each).resolve() for each in named if each]

    def report_server_error(self, error: Exception, _source: object) -> None:
        """Log what the client sent and should not have; a window would only disturb."""
        logger.warning("%s", error)

    def shutdown(self) -> None:
        """End all runs, then the server."""
        self.runs.close()
        if self._folder is not None:
            self._folder.cleanup()
        super().shutdown()  # type: ignore[no-untyped-call]


def bug_of_ours(error: BaseException) -> str:
    """What to tell the user of an error that should not be."""
    return (
        f"Afterburner failed: {type(error).__name__}: {error}. This is a bug: start the server with --verbose "
        "and report what it logs."
    )


def refusal_teller(server: Server, title: str) -> Callable[[Sequence[str], Path | None], None]:
    """Tells the user, once and from any thread, that work goes on without settings that they have refused."""
    loop, told = asyncio.get_running_loop(), set[str]()

    def tell(names: Sequence[str], _path: Path | None) -> None:
        message = f"{title}: going on without {', '.join(names)}, which you did not allow."
        if message not in told:
            told.add(message)
            loop.call_soon_threadsafe(server.say, message)
            loop.call_soon_threadsafe(server.log, message)

    return tell


def document_of(server: Server, given: Mapping[str, Any]) -> Document:
    """The document that a command names.

    Raises:
        JsonRpcException: it is not open, or is no file yet.
    """
    document = server.document(str(given.get("uri", "")))
    if document is None:
        raise failed(f"{given.get('uri', 'No document')} is not open as a Python file. Open it, and ask again.")
    module = server.module_of(document)
    if uri_scheme(module.uri) != "file":
        name = module.uri.partition(":")[2]
        raise failed(f"Save the {module.word} {name} first: its folder tells which project it belongs to.")
    return document


def function_of(given: Mapping[str, Any]) -> str:
    """The function that a command names.

    Raises:
        JsonRpcException: it names none.
    """
    function = given.get("function")
    if not isinstance(function, str) or not function:
        raise failed("The command names no function. Give {uri, function}.")
    return function

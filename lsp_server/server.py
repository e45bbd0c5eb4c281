"""The state of one server: documents, offers, runs, settings. All of it belongs to the thread of the loop."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import uri_scheme

from afterburner.lsp_server.offers import Offers
from afterburner.lsp_server.outline import outline
from afterburner.lsp_server.protocol import Protocol, failed
from afterburner.lsp_server.runs import Runs
from afterburner.lsp_server.settings import SECTION, EditorSettings, read_settings
from afterburner.lsp_server.trust import TrustAsker

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

    from afterburner.lsp_server.documents import Document
    from afterburner.lsp_server.outline import OutlinedFunction


class Server(LanguageServer):
    """The state of one server: documents, offers, runs, settings."""

    protocol: Protocol

    def __init__(self, version: str) -> None:
        """A server that waits for its first message."""
        super().__init__("afterburner", version, protocol_cls=Protocol, max_workers=1)
        self.offers = Offers()
        self.runs = Runs()
        self.trust = TrustAsker(self)
        self.changed = asyncio.Event()  # whenever a document has changed
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
            kept = self._outlines[document.uri] = document.source, outline(document.source)
        return kept[1]

    def forget(self, uri: str) -> None:
        """Forget what was known of the text of a document that is closed."""
        self._outlines.pop(uri, None)

    def say(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Tell the user something."""
        self.window_show_message(types.ShowMessageParams(type=kind, message=message))

    def begin(self, task: Coroutine[Any, Any, None]) -> None:
        """Go on with something beside what the client waits for."""
        begun = asyncio.ensure_future(task)
        self._tasks.add(begun)
        begun.add_done_callback(self._tasks.discard)

    async def settings_of(self, uri: str) -> EditorSettings:
        """The settings that hold for a document; the client is asked, if it can be.

        Raises:
            EditorSettingsError: one of them is of the wrong type.
        """
        layers = [self.initial_settings, self.pushed_settings]
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.configuration:
            item = types.ConfigurationItem(scope_uri=uri, section=SECTION)
            layers += await self.workspace_configuration_async(types.ConfigurationParams(items=[item]))
        return read_settings(*layers)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log what went wrong; a window would only disturb."""
        self.window_log_message(types.LogMessageParams(type=types.MessageType.Error, message=f"{source}: {error}"))

    def shutdown(self) -> None:
        """End all runs, then the server."""
        self.runs.close()
        if self._folder is not None:
            self._folder.cleanup()
        super().shutdown()  # type: ignore[no-untyped-call]


def document_of(server: Server, given: Mapping[str, Any]) -> Document:
    """The document that a command names.

    Raises:
        JsonRpcException: it is not open, or is no file yet.
    """
    document = server.document(str(given.get("uri", "")))
    if document is None:
        raise failed(f"{given.get('uri', 'The document')} is not open as a Python file. Open it, and ask again.")
    if uri_scheme(document.uri) != "file":
        raise failed(f"{document.uri} is no file yet: its project is not known. Save it, and ask again.")
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

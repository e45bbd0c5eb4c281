"""A client of pytest-lsp that stands for a real editor: it declares what that has declared, holds texts, and answers.

pytest-lsp turns a request that the client has not declared into a warning, and a warning fails a test.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import TYPE_CHECKING, Any, TypeVar

from editor_client import COMMAND, Buffer, edited
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient, LanguageClientProtocol, client_capabilities
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from cattrs import Converter

Found = TypeVar("Found")
ANSWER_S = 120.0


class _Protocol(LanguageClientProtocol):
    """Tells the client of each message."""

    def handle_message(self, message: Any) -> None:
        super().handle_message(message)
        self._server.came.set()


def _converter() -> Converter:
    """One that does not take a code action with a command for a command, as that of lsprotocol does."""
    converter: Converter = default_converter()

    def structure(value: dict[str, Any], _type: object) -> types.Command | types.CodeAction:
        return converter.structure(value, types.CodeAction if "kind" in value else types.Command)

    converter.register_structure_hook(types.Command | types.CodeAction, structure)
    return converter


class EditorClient(LanguageClient):
    """A client with one server."""

    def __init__(self, *, shows_progress: bool = True) -> None:
        super().__init__(protocol_cls=_Protocol, converter_factory=_converter)
        self.came = asyncio.Event()
        self.buffers: dict[str, Buffer] = {}
        self.questions: list[types.ShowMessageRequestParams] = []
        self.answers: set[str] = set()  # the titles to choose where a message asks; it is dismissed where there is none
        self.edits: list[types.ApplyWorkspaceEditParams] = []
        self.why_not = ""  # edits are refused for this reason, if there is one
        self.is_answered = asyncio.Event()  # whether the user answers previews; otherwise they stay open
        self.is_answered.set()
        self.lens_refreshes = 0
        register_lsp_features(
            self,
            {
                method: handle
                for method, handle in DEFAULT_CLIENT_FEATURES.items()
                if shows_progress or method != types.WINDOW_WORK_DONE_PROGRESS_CREATE
            },
        )
        self.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)(_ask)
        self.feature(types.WORKSPACE_APPLY_EDIT)(_apply)
        self.feature(types.WORKSPACE_CODE_LENS_REFRESH)(_refresh)

    # What a user does

    def open(self, path: Path, text: str) -> str:
        """Open a file, and give its URI."""
        uri = path.as_uri()
        self.buffers[uri] = Buffer(text)
        item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
        return uri

    def close(self, uri: str) -> None:
        """Close a file."""
        del self.buffers[uri]
        identifier = types.TextDocumentIdentifier(uri=uri)
        self.text_document_did_close(types.DidCloseTextDocumentParams(text_document=identifier))

    def change(self, uri: str, text: str, *changes: types.TextDocumentContentChangeEvent) -> None:
        """Hold another text, told by changes; none: as a whole."""
        buffer = self.buffers[uri]
        buffer.text, buffer.version = text, buffer.version + 1
        identifier = types.VersionedTextDocumentIdentifier(uri=uri, version=buffer.version)
        whole = types.TextDocumentContentChangeWholeDocument(text=text)
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(text_document=identifier, content_changes=changes or (whole,))
        )

    async def actions(self, uri: str, line: int, only: Sequence[str] | None = None) -> dict[str, types.CodeAction]:
        """The code actions at a line, by their kinds behind the common part."""
        place = types.Position(line=line, character=0)
        params = types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(uri=uri),
            range=types.Range(start=place, end=place),
            context=types.CodeActionContext(diagnostics=[], only=only),
        )
        found = await self.text_document_code_action_async(params)
        assert found is not None
        return {
            str(each.kind).removeprefix("refactor.rewrite.afterburner."): each
            for each in found
            if isinstance(each, types.CodeAction)
        }

    async def choose(self, command: types.Command | None) -> None:
        """Click it."""
        assert command is not None
        await self.workspace_execute_command_async(
            types.ExecuteCommandParams(command=command.command, arguments=command.arguments)
        )

    async def until(self, found: Callable[[], Found]) -> Found:
        """What is found, once there is something."""
        async with asyncio.timeout(ANSWER_S):
            while not (value := found()):
                self.came.clear()
                await self.came.wait()
        return value

    async def told(self, words: str) -> str:
        """The first message to the user with these words in it."""
        found = await self.until(lambda: [each.message for each in self.messages if words in each.message])
        return found[0]


def _ask(client: EditorClient, params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
    client.questions.append(params)
    return next((each for each in params.actions or () if each.title in client.answers), None)


def _refresh(client: EditorClient, _params: None) -> None:
    client.lens_refreshes += 1


async def _apply(client: EditorClient, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
    client.edits.append(params)
    await client.is_answered.wait()
    if client.why_not:
        return types.ApplyWorkspaceEditResult(applied=False, failure_reason=client.why_not)
    encoding = str(getattr(client.announced.position_encoding, "value", client.announced.position_encoding))
    for change in params.edit.document_changes or ():
        assert isinstance(change, types.TextDocumentEdit)
        buffer = client.buffers[change.text_document.uri]
        if change.text_document.version != buffer.version:
            return types.ApplyWorkspaceEditResult(applied=False, failure_reason="another version")
        edits = [client.protocol._converter.unstructure(each) for each in change.edits]
        client.change(change.text_document.uri, edited(buffer.text, edits, encoding))
    return types.ApplyWorkspaceEditResult(applied=True)


@contextlib.asynccontextmanager
async def connected(
    capabilities: str | types.ClientCapabilities,
    *folders: Path,
    initial: dict[str, Any] | None = None,
    shows_progress: bool = True,
) -> AsyncIterator[EditorClient]:
    """A client with its server, and in the end neither.

    Args:
        capabilities: what the client declares, or a recorded client as `client_capabilities` names it.
        folders: the workspace folders.
        initial: the initialization options.
        shows_progress: whether it knows the request to create progress.
    """
    client = EditorClient(shows_progress=shows_progress)
    words = [word for word in COMMAND if word != "--verbose"]
    await client.start_io(*words, env={**os.environ, "XDG_STATE_HOME": str(folders[0] / "state")})
    if isinstance(capabilities, str):
        capabilities = client_capabilities(capabilities)
    answer = await client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            root_uri=folders[0].as_uri(),
            workspace_folders=[types.WorkspaceFolder(uri=each.as_uri(), name=each.name) for each in folders],
            initialization_options=initial,
        )
    )
    client.announced = answer.capabilities
    try:
        yield client
    finally:
        await client.shutdown_session()
        await client.stop()

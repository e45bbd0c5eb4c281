"""Begins a file that calls a function, where nothing else calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from afterburner.lsp_server.applying import edit_capabilities
from afterburner.lsp_server.calls_file import calls_file_of, stub_for
from afterburner.lsp_server.protocol import failed
from afterburner.lsp_server.server import document_of, function_of
from afterburner.lsp_server.text.rebase import text_of_function

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.lsp_server.server import Server
    from afterburner.lsp_server.text.documents import Document


async def offer_calls(server: Server, document: Document, function: str | None, error: str) -> None:
    """Say that there are no inputs, and offer to begin a file with some."""
    kind = types.MessageType.Error
    if function is None or _exists(server, document) or not _may_create(server):
        server.say(error, kind)
        return
    action = types.MessageActionItem(title=f"Write {calls_file_of(document.path).name}")
    params = types.ShowMessageRequestParams(type=kind, message=error, actions=[action])
    try:
        answer = await server.window_show_message_request_async(params)
    except JsonRpcException:  # it cannot ask
        server.say(error, kind)
        return
    if answer is not None and answer.title == action.title:
        await _begin_calls(server, document, function)


def write_calls(server: Server, given: Mapping[str, Any]) -> None:
    """Begin the file beside a module that calls its functions."""
    document, function = document_of(server, given), function_of(given)
    if document.is_cell:
        raise failed(f"Call {function} in a cell of the notebook.")
    if not _may_create(server):
        raise failed(f"The editor cannot create files for a server. Write {calls_file_of(document.path)} yourself.")
    server.begin(_begin_calls(server, document, function))


def _exists(server: Server, document: Document) -> bool:
    """Whether the file is there, or open and not saved yet."""
    place = calls_file_of(document.path)
    return place.exists() or server.protocol.documents().is_open(place.as_uri())


async def _begin_calls(server: Server, document: Document, function: str) -> None:
    place = calls_file_of(document.path)
    if _exists(server, document):
        server.say(f"{place.name} is there already. Add calls of {function} to it.")
        return
    text = stub_for(document.path, function, text_of_function(document.source, function) or "")
    start = types.Position(line=0, character=0)
    edit = types.WorkspaceEdit(
        document_changes=[
            types.CreateFile(
                uri=place.as_uri(), options=types.CreateFileOptions(overwrite=False, ignore_if_exists=False)
            ),
            types.TextDocumentEdit(
                text_document=types.OptionalVersionedTextDocumentIdentifier(uri=place.as_uri(), version=None),
                edits=[types.TextEdit(range=types.Range(start=start, end=start), new_text=text)],
            ),
        ]
    )
    answer = await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit=edit, label=place.name))
    window = server.client_capabilities.window
    if answer.applied and window is not None and window.show_document is not None and window.show_document.support:
        await server.window_show_document_async(types.ShowDocumentParams(uri=place.as_uri(), take_focus=True))


def _may_create(server: Server) -> bool:
    """Whether the client can create a file by an edit."""
    can = edit_capabilities(server)
    return can is not None and types.ResourceOperationKind.Create in (can.resource_operations or ())

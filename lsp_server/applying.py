"""Puts edits into a document through its client, and finds out whether they are there."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pygls.lsp.server import LanguageServer

    from afterburner.agent.code.text_edits import TextEdit
    from afterburner.lsp_server.documents import Document

_WAIT_S = 2.0  # for the change to come back from a client that says that it has made it
_ANNOTATION = "afterburner"


@dataclass(frozen=True, slots=True)
class Change:
    """Edits of a document as it is now.

    Attributes:
        edits: what is to be changed.
        label: what the client calls it.
        asks: whether the client may show it first, and ask.
        is_made: whether a text has it.
        changed: is set whenever a document has changed.
    """

    edits: Sequence[TextEdit]
    label: str
    asks: bool
    is_made: Callable[[str], bool]
    changed: asyncio.Event


async def apply_change(server: LanguageServer, document: Document, change: Change) -> bool:
    """Ask the client to make the edits; whether they are in the document then.

    Some clients say that they have applied what they have thrown away, since the document had changed meanwhile. So
    what counts is the text that comes back.
    """
    edit = _workspace_edit(server, document, change)
    params = types.ApplyWorkspaceEditParams(edit=edit, label=change.label)
    answer = await server.workspace_apply_edit_async(params)
    if not answer.applied:
        return False
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_WAIT_S):
            while not change.is_made(document.source):
                change.changed.clear()
                await change.changed.wait()
    return change.is_made(document.source)


def edit_capabilities(server: LanguageServer) -> types.WorkspaceEditClientCapabilities | None:
    """What edits the client takes. One that creates files takes versioned edits, whether it says so or not: Neovim."""
    workspace = server.client_capabilities.workspace
    return workspace.workspace_edit if workspace is not None else None


def _workspace_edit(server: LanguageServer, document: Document, change: Change) -> types.WorkspaceEdit:
    """The edits in the form that the client takes: with the version of the document, if it can check it."""
    ours = [
        types.TextEdit(range=document.whole_lines(each.start_line, each.end_line), new_text=each.new_text)
        for each in change.edits
    ]
    can = edit_capabilities(server)
    if can is None or not (can.document_changes or can.resource_operations):
        return types.WorkspaceEdit(changes={document.uri: ours})
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    if not change.asks or can.change_annotation_support is None:
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(text_document=identifier, edits=ours)])
    marked = [
        types.AnnotatedTextEdit(range=each.range, new_text=each.new_text, annotation_id=_ANNOTATION) for each in ours
    ]
    annotation = types.ChangeAnnotation(label=change.label, needs_confirmation=True)
    return types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(text_document=identifier, edits=marked)],
        change_annotations={_ANNOTATION: annotation},
    )

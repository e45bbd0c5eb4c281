"""Puts edits into a document through its client, and finds out whether they are there."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pygls.lsp.server import LanguageServer

    from afterburner.agent.code.text_edits import TextEdit
    from afterburner.lsp_server.text.documents import Document

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


async def apply_change(server: LanguageServer, document: Document, change: Change) -> str | None:
    """Ask the client to make the edits; why they are not in the document then, None: they are.

    It is empty where the client has shown a preview and gives no reason: most likely, the user has discarded it, or
    ticked nothing.

    Some clients say that they have applied what they have thrown away, since the document had changed meanwhile. So
    what counts is the text that comes back. The edit is made before anything is waited for: its lines and its version
    are those of one text.
    """
    if not takes_versions(server):
        return "this editor does not check versions of a text, so it might change the wrong lines"
    params = types.ApplyWorkspaceEditParams(edit=_workspace_edit(server, document, change), label=change.label)
    try:
        answer = await server.workspace_apply_edit_async(params)
    except JsonRpcException as error:
        return f"the editor refused it: {error}"
    if not answer.applied:
        return answer.failure_reason or _declined(server, change, "the editor refused it, or you declined it")
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_WAIT_S):
            while not change.is_made(document.python):
                change.changed.clear()
                await change.changed.wait()
    if change.is_made(document.python):
        return None
    return _declined(server, change, "the text changed meanwhile, or you declined the edit")


def edit_capabilities(server: LanguageServer) -> types.WorkspaceEditClientCapabilities | None:
    """What edits the client takes. One that creates files takes versioned edits, too, whether it says so or not."""
    workspace = server.client_capabilities.workspace
    return workspace.workspace_edit if workspace is not None else None


def takes_versions(server: LanguageServer) -> bool:
    """Whether the client checks the version of the text that an edit was made for."""
    can = edit_capabilities(server)
    return can is not None and bool(can.document_changes or can.resource_operations)


def can_preview(server: LanguageServer) -> bool:
    """Whether the client can show edits first."""
    can = edit_capabilities(server)
    return can is not None and can.change_annotation_support is not None


def _declined(server: LanguageServer, change: Change, why: str) -> str:
    """Why edits are not in the text if the client does not say; empty: it has left each of them to the user."""
    return "" if change.asks and can_preview(server) else why


def _workspace_edit(server: LanguageServer, document: Document, change: Change) -> types.WorkspaceEdit:
    """The edits with the version of the document, and marked for a preview where the client can show one."""
    ours = [
        types.TextEdit(range=document.whole_lines(each.start_line, each.end_line), new_text=each.new_text)
        for each in document.fitted(change.edits)
    ]
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    if not (change.asks and can_preview(server)):
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(text_document=identifier, edits=ours)])
    marked = [
        types.AnnotatedTextEdit(range=each.range, new_text=each.new_text, annotation_id=_ANNOTATION) for each in ours
    ]
    annotation = types.ChangeAnnotation(label=change.label, needs_confirmation=True)
    return types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(text_document=identifier, edits=marked)],
        change_annotations={_ANNOTATION: annotation},
    )

"""What becomes of a proven rewrite: it is put into the document, taken out again, and shown with its evidence."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from afterburner.agent.page.render import render_page
from afterburner.agent.page.run_section import section_of_run
from afterburner.lsp_server.applying import Change, apply_change, can_preview
from afterburner.lsp_server.conditions import conditions_of, summary_of
from afterburner.lsp_server.inputs_note import inputs_note
from afterburner.lsp_server.offers import Offer
from afterburner.lsp_server.protocol import failed
from afterburner.lsp_server.server import document_of, function_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.agent.loop.results import RunResult
    from afterburner.lsp_server.offers import HeldResult
    from afterburner.lsp_server.server import Server
    from afterburner.lsp_server.text.documents import Document
    from afterburner.lsp_server.text.modules import Module, ModuleText

_DONE = {True: "The original is back.", False: "Applied. Undo restores the original."}  # by whether it reverts


class Told(NamedTuple):
    """What to tell of a run, how, and what only the log has room for."""

    message: str
    kind: types.MessageType = types.MessageType.Info
    details: str = ""


async def offer_result(server: Server, document: Document, module: Module, result: RunResult, text: ModuleText) -> Told:
    """Put an improvement into its document, or say why there is none: what to tell.

    Args:
        server: that holds the documents.
        document: for which the run was asked for.
        module: of the run.
        result: of the run.
        text: of the module, which the run worked on.
    """
    function = result.target.function
    if not result.improved or function is None:
        if function is not None:
            server.offers.keep_without(document.uri, function, result)
        return without_offer(result)
    change = text.change_to(result.best_source, function)
    if change is None:
        shown = f"`afterburner-agent show {result.run_id}` shows it"
        told = f"It was not applied, since it also changes other cells; {shown}. {summary_of(result)}."
        return Told(told)
    offer = Offer.of_change(change, result, function)
    offer = replace(offer, uri=server.now(module).place_of(function, offer.original, offer.uri))
    server.offers.keep(offer)
    why_not, kind = await _put(server, offer, reverts=False)
    # What the user has to know comes first: a small window may show no more.
    summary = summary_of(result)
    return Told(f"{why_not} {summary}." if why_not else f"{summary}. {_DONE[False]}", kind)


def without_offer(result: RunResult) -> Told:
    """What to tell of a run that offers nothing: why, and that its inputs come from no real call, if that is so."""
    details = conditions_of(result)
    where = "The log has the condition, and what you can do." if details else ""
    return Told(" ".join(filter(None, [f"{result.summary}.", where, inputs_note(result)])), details=details)


def change(server: Server, given: Mapping[str, Any], *, reverts: bool) -> None:
    """Apply a rewrite that is kept, or put the original back."""
    document, function = document_of(server, given), function_of(given)
    offer = server.offers.get(document.uri, function)
    if offer is None:
        raise failed(f"No rewrite of {function} is kept. Optimize it first.")

    async def put() -> None:
        why_not, kind = await _put(server, offer, reverts=reverts)
        server.say(f"{function}: {why_not or _DONE[reverts]}", kind)

    server.begin(put())


async def _put(server: Server, offer: Offer, *, reverts: bool) -> tuple[str, types.MessageType]:
    """Let the client change its document; a message why it is not changed then, empty: it is, and how to tell."""
    settings = await server.settings_of(offer.uri)
    if reverts or not settings.preview or not can_preview(server):
        return await _change(server, offer, asks=False, reverts=reverts)
    if server.previews.shows(offer):
        return "Its preview is open: apply or discard it.", types.MessageType.Info
    shown = server.previews.shown
    if shown is not None:
        what = "an earlier rewrite" if shown.function == offer.function else shown.function
        told = f"Apply or discard the preview of {what} first."
        if server.previews.waits(offer):
            return told, types.MessageType.Info
        server.say(f"{offer.function}: {offer.short}. {told}")
    async with server.previews.turn(offer):
        return await _change(server, offer, asks=True, reverts=False)


async def _change(server: Server, offer: Offer, *, asks: bool, reverts: bool) -> tuple[str, types.MessageType]:
    """Make the edit of the document as it is now; what to tell, as `_put`."""
    info = types.MessageType.Info
    document = server.document(offer.uri)  # from here to the edit nothing is waited for: all of it is of one text
    if document is None:
        told = f'You closed the file or its cell. Open it, and choose "Apply the proven rewrite" on {offer.function}.'
        return told, info
    text = document.python
    if not reverts and offer.is_in(text):  # the same was asked for while its preview was open
        return "", info
    edits = offer.reverting_edits_for(text) if reverts else offer.edits_for(text)
    if edits is None and reverts:
        return "The rewrite has been changed since, so the original was not put back.", info
    if edits is None:
        told = (
            "The function, or what it uses, has changed since the run began, so the rewrite was not applied. "
            'Undo your changes, then choose "Apply the proven rewrite".'
        )
        return told, info
    label = f"Put the original of {offer.function} back" if reverts else f"{offer.function}: {offer.short}"
    is_made = offer.is_out_of if reverts else offer.is_in
    change = Change(edits, label, asks=asks, is_made=is_made, changed=server.changed)
    if asks:
        server.say(f"{offer.function}: {offer.short}. Tick the change in the preview, then choose Apply.")
    why_not = await apply_change(server, document, change)
    if why_not is not None:
        return _not_put(offer, document.python, why_not, reverts=reverts)
    server.begin(refresh_lenses(server), is_asked_for=False)
    return "", info


def _not_put(offer: Offer, text: str, why_not: str, *, reverts: bool) -> tuple[str, types.MessageType]:
    """What to tell where the client has not made the edit, or not all of it, and how."""
    if not reverts and offer.is_partly_in(text):
        told = (
            f"Undo now: {offer.function} holds only a part of the rewrite, since the editor made only a part of the "
            "edit, or made it while you were typing. Then try again."
        )
        return told, types.MessageType.Warning
    if reverts:
        return f"The original was not put back: {why_not}.", types.MessageType.Info
    told = f'The rewrite was not applied: {why_not}. Choose "Apply the proven rewrite" to try again.'
    if not why_not:
        told = (
            'The rewrite was not applied. "Apply the proven rewrite" brings its preview back: tick all of its changes '
            "there, then choose Apply."
        )
    return told, types.MessageType.Info


async def refresh_lenses(server: Server) -> None:
    """Let the client ask for the lenses again, if it can."""
    lens = server.client_capabilities.workspace.code_lens if server.client_capabilities.workspace else None
    if lens is not None and lens.refresh_support:
        with contextlib.suppress(JsonRpcException):
            await server.workspace_code_lens_refresh_async(None)


def report(server: Server, given: Mapping[str, Any]) -> None:
    """Show the report of a run as a page: what it offers, or why it offers nothing.

    It is the latest run of the function. If that has none, or none is named, it is the latest run of the document, or
    of all open documents: a message says whose.
    """
    uri = str(given.get("uri", ""))
    function = function_of(given) if given.get("function") is not None else None
    document = server.document(uri)
    text = "" if document is None else document.python
    result = server.offers.result(uri, function, text) if function is not None else None
    if result is None and (latest := server.offers.latest(uri)) is not None:
        server.say(_told_of_latest(latest, uri, function))
        result = latest.result
    if result is None:
        told = f"There is no run of {function} to report on. Optimize it first."
        raise failed(told if function is not None else "There is no run to report on. Optimize a function first.")
    _show_page(server, result)


def _told_of_latest(latest: HeldResult, uri: str, function: str | None) -> str:
    """Whose report is shown, where it is not that of the function that was asked for."""
    parts = urlsplit(latest.uri)
    place = f"{'a cell of ' if parts.fragment else ''}{PurePosixPath(unquote(parts.path)).name}"
    if latest.uri == uri:
        told = f"This is the report of {latest.function}, the latest run of {place}."
    else:
        told = f"This is the report of {latest.function} in {place}, the latest run of all open files."
    return told if function is None else f"There is no run of {function}. {told}"


def _show_page(server: Server, result: RunResult) -> None:
    """Write the page of a run, and let the client show it, if it can."""
    page = server.pages / f"{result.run_id}.html"
    section = section_of_run(result)
    page.write_text(render_page(section.title, (), [section]), encoding="utf-8")
    window = server.client_capabilities.window
    if window is None or window.show_document is None or not window.show_document.support:
        server.say(f"The report is {page}")
        return

    async def show() -> None:
        is_shown = False
        with contextlib.suppress(JsonRpcException):
            answer = await server.window_show_document_async(types.ShowDocumentParams(uri=page.as_uri(), external=True))
            is_shown = answer.success
        if not is_shown:
            server.say(f"The report is {page}")
            return
        # A browser may be on another machine than the server. No window for that: the page is open, or seems to be.
        logged = types.LogMessageParams(type=types.MessageType.Info, message=f"The report is {page}")
        server.window_log_message(logged)

    server.begin(show())

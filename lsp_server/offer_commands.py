"""What becomes of a proven rewrite: it is put into the document, taken out again, and shown with its evidence."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from afterburner.agent.page.render import render_page
from afterburner.agent.page.run_section import section_of_run
from afterburner.lsp_server.applying import Change, apply_change
from afterburner.lsp_server.offers import Offer
from afterburner.lsp_server.protocol import failed
from afterburner.lsp_server.server import document_of, function_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.agent.loop.results import RunResult
    from afterburner.lsp_server.server import Server
    from afterburner.lsp_server.text.modules import Module, ModuleText

_DONE = {True: "The original is back.", False: "Applied. Undo restores the original."}  # by whether it reverts


async def offer_result(server: Server, module: Module, result: RunResult, text: ModuleText) -> str:
    """Put an improvement into its document, or say why there is none.

    Args:
        server: that holds the documents.
        module: of the run.
        result: of the run.
        text: of the module, which the run worked on.
    """
    function = result.target.function
    if not result.improved or function is None:
        return result.summary
    change = text.change_to(result.best_source, function)
    if change is None:
        shown = f"`afterburner-agent show {result.run_id}` shows it"
        return f"It was not applied, since it also changes other cells; {shown}. {result.summary}."
    offer = Offer.of_change(change, result, function)
    offer = replace(offer, uri=server.now(module).place_of(function, offer.original, offer.uri))
    server.offers.keep(offer)
    why_not = await _put(server, offer, reverts=False)
    # What the user has to know comes first: a small window may show no more.
    return f"{why_not} {result.summary}." if why_not else f"{result.summary}. {_DONE[False]}"


def change(server: Server, given: Mapping[str, Any], *, reverts: bool) -> None:
    """Apply a rewrite that is kept, or put the original back."""
    document, function = document_of(server, given), function_of(given)
    offer = server.offers.get(document.uri, function)
    if offer is None:
        raise failed(f"No rewrite of {function} is kept. Optimize it first.")

    async def put() -> None:
        why_not = await _put(server, offer, reverts=reverts)
        server.say(f"{function}: {why_not or _DONE[reverts]}")

    server.begin(put())


async def _put(server: Server, offer: Offer, *, reverts: bool) -> str:
    """Let the client change its document; a message why it is not changed then, empty: it is."""
    settings = await server.settings_of(offer.uri)
    document = server.document(offer.uri)  # from here to the edit nothing is waited for: all of it is of one text
    if document is None:
        return f'You closed the file or its cell. Open it, and choose "Apply the proven rewrite" on {offer.function}.'
    text = document.python
    edits = offer.reverting_edits_for(text) if reverts else offer.edits_for(text)
    if edits is None and reverts:
        return "The rewrite has been changed since, so the original was not put back."
    if edits is None:
        return (
            "The function, or what it uses, has changed since the run began, so the rewrite was not applied. "
            'Undo your changes, then choose "Apply the proven rewrite".'
        )
    label = f"Put the original of {offer.function} back" if reverts else f"{offer.function}: {offer.short}"
    is_made = offer.is_out_of if reverts else offer.is_in
    change = Change(edits, label, asks=settings.preview and not reverts, is_made=is_made, changed=server.changed)
    why_not = await apply_change(server, document, change)
    if why_not:
        return _not_put(offer, document.python, why_not, reverts=reverts)
    server.begin(refresh_lenses(server), is_asked_for=False)
    return ""


def _not_put(offer: Offer, text: str, why_not: str, *, reverts: bool) -> str:
    """What to tell where the client has not made the edit, or not all of it."""
    if not reverts and offer.is_partly_in(text):
        return (
            "The function is now neither the original nor the rewrite: the editor made only a part of the edit, or "
            "made it while you were typing. Undo that, and try again."
        )
    if reverts:
        return f"The original was not put back: {why_not}."
    return f'The rewrite was not applied: {why_not}. Choose "Apply the proven rewrite" to try again.'


async def refresh_lenses(server: Server) -> None:
    """Let the client ask for the lenses again, if it can."""
    lens = server.client_capabilities.workspace.code_lens if server.client_capabilities.workspace else None
    if lens is not None and lens.refresh_support:
        with contextlib.suppress(JsonRpcException):
            await server.workspace_code_lens_refresh_async(None)


def report(server: Server, given: Mapping[str, Any]) -> None:
    """Show the report of an offer as a page."""
    uri, function = str(given.get("uri", "")), function_of(given)
    offer = server.offers.get(uri, function)
    if offer is None:
        raise failed(f"No rewrite of {function} is kept. Optimize it first.")
    page = server.pages / f"{offer.result.run_id}.html"
    section = section_of_run(offer.result)
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

"""What becomes of a proven rewrite: it is put into the document, taken out again, and shown with its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from afterburner.lsp_server.applying import Change, apply_change
from afterburner.lsp_server.offers import Offer
from afterburner.lsp_server.protocol import failed
from afterburner.lsp_server.report_page import report_page
from afterburner.lsp_server.server import document_of, function_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.agent.loop.results import RunResult
    from afterburner.lsp_server.server import Server


async def offer_result(server: Server, uri: str, result: RunResult) -> str:
    """Put an improvement into the document, or say why there is none."""
    function = result.target.function
    if not result.improved or function is None:
        return result.summary
    offer = Offer(uri, result, function)
    server.offers.keep(offer)
    return f"{result.summary}. {await _put(server, offer, reverts=False)}"


def change(server: Server, given: Mapping[str, Any], *, reverts: bool) -> None:
    """Apply an offer that is kept, or take it out again."""
    document, function = document_of(server, given), function_of(given)
    offer = server.offers.get(document.uri, function)
    if offer is None:
        raise failed(f"No rewrite of {function} is kept. Optimize it first.")

    async def put() -> None:
        server.say(f"{function}: {await _put(server, offer, reverts=reverts)}")

    server.begin(put())


async def _put(server: Server, offer: Offer, *, reverts: bool) -> str:
    """Let the client change its document, and say what came of it."""
    document = server.document(offer.uri)
    if document is None:
        return f"The file is closed; the rewrite is kept: open it, and apply it by the actions of {offer.function}."
    edits = offer.reverting_edits_for(document.source) if reverts else offer.edits_for(document.source)
    if edits is None:
        return (
            f"{offer.function} is not what it was when the run began, so nothing is changed; the rewrite is kept: "
            "undo your changes of the function to apply it."
        )
    label = f"Take back the rewrite of {offer.function}" if reverts else f"{offer.function}: {offer.short}"
    settings = await server.settings_of(offer.uri)
    is_made = offer.is_out_of if reverts else offer.is_in
    change = Change(edits, label, asks=settings.preview and not reverts, is_made=is_made, changed=server.changed)
    is_done = await apply_change(server, document, change)
    if not is_done:
        return f"It is not applied; it is kept, and the actions of {offer.function} apply it."
    if server.client_capabilities.workspace and server.client_capabilities.workspace.code_lens:
        server.begin(_refresh_lenses(server))
    return "It is taken back." if reverts else "It is applied; undo takes it back."


async def _refresh_lenses(server: Server) -> None:
    lens = server.client_capabilities.workspace.code_lens if server.client_capabilities.workspace else None
    if lens is not None and lens.refresh_support:
        await server.workspace_code_lens_refresh_async(None)


def report(server: Server, given: Mapping[str, Any]) -> None:
    """Show the report of an offer as a page."""
    uri, function = str(given.get("uri", "")), function_of(given)
    offer = server.offers.get(uri, function)
    if offer is None:
        raise failed(f"No rewrite of {function} is kept. Optimize it first.")
    page = server.pages / f"{offer.result.run_id}.html"
    page.write_text(report_page(offer.result), encoding="utf-8")
    window = server.client_capabilities.window
    if window is None or window.show_document is None or not window.show_document.support:
        server.say(f"The report is {page}")
        return

    async def show() -> None:
        shown = await server.window_show_document_async(types.ShowDocumentParams(uri=page.as_uri(), external=True))
        if not shown.success:
            server.say(f"The report is {page}")

    server.begin(show())

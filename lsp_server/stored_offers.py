"""What earlier runs have found for a document that is opened: those of another server, and of the command line."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import uri_scheme

from afterburner import agent
from afterburner.lsp_server.hint_commands import publish_hints
from afterburner.lsp_server.offer_commands import refresh_lenses
from afterburner.lsp_server.offers import Offer
from afterburner.lsp_server.text.rebase import text_of_function
from afterburner.lsp_server.threads import begin_in_thread

if TYPE_CHECKING:
    from afterburner.lsp_server.server import Server


async def find_offers(server: Server, uri: str) -> None:
    """Keep the offers of a document that the user's store holds. Where it cannot be read, that is only logged."""
    document = server.document(uri)
    if document is None or uri_scheme(uri) != "file":
        return
    async with server.lookup:  # one at a time: an editor may open a hundred files at once
        try:
            found = await begin_in_thread(partial(stored_offers, uri, document.path, document.source), "lookup")[1]
        except agent.AfterburnerError as error:
            told = f"Results of earlier runs of {document.path} are not shown: {error}"
            server.log(told, types.MessageType.Warning)
            return
    if server.document(uri) is None:  # closed meanwhile
        return
    kept = [server.offers.keep_stored(each) for each in found]
    if any(kept):
        publish_hints(server, uri)
        await refresh_lenses(server)


def stored_offers(uri: str, path: str, text: str) -> list[Offer]:
    """The offers of a file in the user's store: of each function the newest whose rewrite, or original, is in a text.

    Where none is, it is the newest: the text may come back.

    Raises:
        AfterburnerError: the store cannot be read.
    """
    if not agent.has_improvements(path):  # most files have none, and a session loads much
        return []
    found: dict[str, Offer] = {}
    settled = set()
    with agent.open_session() as session:
        for result in session.improvements(path):
            function = result.target.function or ""
            if function in settled:
                continue
            offer = Offer.of(uri, result, function)
            if text_of_function(text, function) in (offer.rewrite, offer.original):
                settled.add(function)
                found[function] = offer
            found.setdefault(function, offer)
    return list(found.values())

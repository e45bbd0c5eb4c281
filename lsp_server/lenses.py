"""What one sees of a proven rewrite that stands in a document: a lens above the function, its evidence on hover."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types

from afterburner.agent.code.source_text import split_lines
from afterburner.agent.wording import count
from afterburner.lsp_server.actions import REPORT, REVERT, command_of
from afterburner.lsp_server.settings import in_editor_words
from afterburner.lsp_server.text.outline import function_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.lsp_server.offers import Offer, Offers
    from afterburner.lsp_server.text.documents import Document
    from afterburner.lsp_server.text.outline import OutlinedFunction

_CODE_OR_MARK = re.compile(r"(`[^`]*`)|([\\*_<>\[\]])")


def lenses_of(document: Document, functions: Sequence[OutlinedFunction], offers: Offers) -> list[types.CodeLens]:
    """A lens with the gain, one for the report and one to go back, for each rewrite that is in the document."""
    return [
        types.CodeLens(range=document.whole_lines(function.def_line, function.def_line), command=command)
        for function, offer in _in_place(document, functions, offers)
        for command in _commands(offer)
    ]


def hover_of(
    document: Document, functions: Sequence[OutlinedFunction], offers: Offers, line: int
) -> types.Hover | None:
    """The evidence, on the line of `def`."""
    function = function_at(functions, line)
    if function is None or function.def_line != line:
        return None
    found = next((offer for each, offer in _in_place(document, [function], offers) if each is function), None)
    if found is None:
        return None
    return types.Hover(contents=types.MarkupContent(kind=types.MarkupKind.Markdown, value=evidence(found)))


def evidence(offer: Offer) -> str:
    """What a rewrite rests on, as Markdown."""
    result = offer.result
    origins = ", ".join(f"{number} {origin}" for origin, number in result.workload_origins)
    lines = [
        f"**{offer.short}**",
        "",
        f"{_escaped(result.summary)}.",
        "",
        f"- Inputs: {_escaped(origins)}; {count(result.held_out.inputs, 'held-out input')}.",
        f"- By {_escaped(result.model)}, after {result.elapsed_s:.0f} s, run `{result.run_id}`.",
        *(f"- {_escaped(in_editor_words(note))}" for note in result.notes),
    ]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """A text as Markdown that shows it as it is: `__main__` is no bold word. What is marked as code stays so."""
    return _CODE_OR_MARK.sub(lambda found: found[1] or f"\\{found[2]}", text)


def _in_place(
    document: Document, functions: Sequence[OutlinedFunction], offers: Offers
) -> Iterator[tuple[OutlinedFunction, Offer]]:
    """The functions that are what a rewrite has made of them."""
    lines = split_lines(document.python)
    for function in functions:
        offer = offers.get(document.uri, function.qualname)
        if offer is not None and "".join(lines[function.first_line : function.last_line + 1]) == offer.rewrite:
            yield function, offer


def _commands(offer: Offer) -> Iterator[types.Command]:
    name = {"uri": offer.uri, "function": offer.function}
    gain = command_of(REPORT, offer.brief, **name)
    gain.tooltip = offer.short  # which a lens has no room for: its buttons would leave the window
    yield gain
    yield command_of(REPORT, "report", **name)
    yield command_of(REVERT, "revert", **name)

"""The hints on hot functions: diagnostics on the lines of `def`, where the functions are as they were profiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import to_fs_path

from afterburner.lsp_server.text.outline import name_span

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from afterburner.lsp_server.hot_functions import HotFunction
    from afterburner.lsp_server.offers import Offers
    from afterburner.lsp_server.text.documents import Document
    from afterburner.lsp_server.text.outline import OutlinedFunction

SOURCE, CODE = "afterburner", "hot"


class Hints:
    """What the profiles of projects have shown, and which hints the client shows. One thread uses it."""

    def __init__(self) -> None:
        """Nothing is profiled yet."""
        self.profiled: set[Path] = set()  # the projects whose profile was begun, or refused
        self.asked_for: set[Path] = set()  # the projects that the user has had profiled
        self.wanted: set[str] = set()  # the documents that are to have hints
        self.shown: dict[str, dict[str, types.Diagnostic]] = {}  # by document and function
        self.waiting: dict[str, asyncio.TimerHandle] = {}  # the documents whose hints are about to be renewed
        self._hot: dict[str, tuple[HotFunction, ...]] = {}  # by path

    def keep_profile(self, folder: Path, found: Iterable[HotFunction]) -> None:
        """Keep what the profile of a project has shown, in place of an earlier one."""
        prefix = f"{folder}/"
        self._hot = {path: hot for path, hot in self._hot.items() if not path.startswith(prefix)}
        for each in found:
            self._hot[each.path] = (*self._hot.get(each.path, ()), each)

    def hot_in(self, uri: str) -> tuple[HotFunction, ...]:
        """The hot functions of a document that is to have hints."""
        return self._hot.get(to_fs_path(uri) or "", ()) if uri in self.wanted else ()

    def forget(self, uri: str) -> None:
        """Forget a document that is closed."""
        self.wanted.discard(uri)
        self.shown.pop(uri, None)
        if (timer := self.waiting.pop(uri, None)) is not None:
            timer.cancel()


def hints_of(
    document: Document, functions: Sequence[OutlinedFunction], hot: Sequence[HotFunction], offers: Offers
) -> Mapping[str, types.Diagnostic]:
    """The hints of a document, by function: none where a function was changed since, or is a proven rewrite."""
    lines = document.lines
    last = {each.qualname: each for each in functions}  # a later definition replaces an earlier one
    found = {}
    for each in hot:
        function = last.get(each.name)
        if function is None or "".join(lines[function.first_line : function.last_line + 1]) != each.text:
            continue
        offer = offers.get(document.uri, each.name)
        if offer is None or offer.rewrite != each.text:
            found[each.name] = _hint(document, function, each)
    return found


def _hint(document: Document, function: OutlinedFunction, hot: HotFunction) -> types.Diagnostic:
    return types.Diagnostic(
        range=document.range_in_line(function.def_line, *name_span(document.lines[function.def_line])),
        severity=types.DiagnosticSeverity.Hint,
        source=SOURCE,
        code=CODE,
        message=(
            f"{hot.name} takes {hot.share:.0%} of the CPU time that the project's tests spend in its code. Optimize it?"
        ),
    )

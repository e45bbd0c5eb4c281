"""Notices that the user edits the function that a run works on, which makes its result one of an earlier text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner import agent
from afterburner.lsp_server.text.reached import uses_the_same
from afterburner.lsp_server.text.rebase import text_of_function

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.lsp_server.text.modules import Module


class EditWatch:
    """What to say of a run while its function, or what that uses, is another one than when the run began."""

    def __init__(self, function: str, text: str, now: Callable[[], Module], outcome: str) -> None:
        """Nothing has been edited yet.

        Args:
            function: its qualified name.
            text: of the module, which the run works on.
            now: gives the module as the client holds it.
            outcome: what an edit means for the result, as a sentence goes on: "the result will not be applied".
        """
        self._function, self._text, self._now, self._outcome = function, text, now, outcome
        self._sources: tuple[str, ...] | None = None  # that were looked at last
        self._note = ""

    def note(self) -> str:
        """What to say now; empty: the function is as it was."""
        module = self._now()
        sources = tuple(each.source for each in module.documents)
        if sources != self._sources:
            self._sources, self._note = sources, self._note_of(module)
        return self._note

    def _note_of(self, module: Module) -> str:
        try:
            now = module.text_for(self._function).text
        except agent.UsageError:  # half-typed cells are no module
            return self._note
        if now == self._text:
            return ""
        if text_of_function(self._text, self._function) != text_of_function(now, self._function):
            what = self._function
        elif not uses_the_same(self._text, now, self._function):
            what = f"what {self._function} uses"
        else:
            return ""
        return f"{what} was edited: {self._outcome}; cancel and run again"

"""What runs have found for the functions of open documents, for as long as the server lives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.code.text_edits import TextEdit, edits_between
from afterburner.agent.wording import format_ratio
from afterburner.lsp_server.rebase import edits_inside, rebased, text_of_function

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.types import Gain


@dataclass(frozen=True, slots=True)
class Offer:
    """A proven rewrite of one function of one document.

    Attributes:
        uri: of the document.
        result: of the run.
        function: its qualified name.
        original: the function as it was.
        rewrite: the function as it is offered.
    """

    uri: str
    result: RunResult
    function: str
    original: str
    rewrite: str

    @classmethod
    def of(cls, uri: str, result: RunResult, function: str) -> Offer:
        """The offer that a run has come to."""
        original = text_of_function(result.target.source, function) or ""
        return cls(uri, result, function, original, text_of_function(result.best_source, function) or "")

    def edits_for(self, text: str) -> tuple[TextEdit, ...] | None:
        """What puts the rewrite into a text; None: its function is another one."""
        return rebased(self.result.target.source, self.result.edits, text, self.function)

    def reverting_edits_for(self, text: str) -> tuple[TextEdit, ...] | None:
        """What takes the rewrite out of a text again; None: it is not there.

        What it has brought outside of the function, such as an import, stays where the text has changed since: other
        code may use it by now.
        """
        made = self.result.best_source
        back = edits_between(made, self.result.target.source)
        return rebased(made, back if text == made else edits_inside(made, back, self.function), text, self.function)

    def is_in(self, text: str) -> bool:
        """Whether a text has the rewrite."""
        return text_of_function(text, self.function) == self.rewrite

    def is_out_of(self, text: str) -> bool:
        """Whether a text has the function as it was."""
        return text_of_function(text, self.function) == self.original

    @property
    def short(self) -> str:
        """`3.1x faster (2.8x to 3.4x), proven`."""
        gain = self.result.gain
        return f"{_gain(self.result.objective, gain)}, proven" if gain is not None else "proven"


class Offers:
    """The offers by document and function; a later one takes the place of an earlier one."""

    def __init__(self) -> None:
        self._offers: dict[tuple[str, str], Offer] = {}

    def keep(self, offer: Offer) -> None:
        """Keep an offer."""
        self._offers[offer.uri, offer.function] = offer

    def get(self, uri: str, function: str) -> Offer | None:
        """The offer of a function."""
        return self._offers.get((uri, function))


def _gain(objective: str, gain: Gain) -> str:
    better = {"time": "faster", "memory": "less peak memory", "integral": "less memory over time"}[objective]
    interval = f"({format_ratio(gain.low)} to {format_ratio(gain.high)})"
    return f"{format_ratio(gain.ratio)} {better} {interval}"

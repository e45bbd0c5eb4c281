"""What runs have found for the functions of open documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from afterburner.agent.code.source_text import split_lines
from afterburner.agent.code.text_edits import TextEdit, edits_between
from afterburner.agent.inputs.written_calls import NONE_FROM_PROJECT
from afterburner.agent.wording import count, format_change, format_ratio
from afterburner.lsp_server.conditions import given
from afterburner.lsp_server.text.documents import DocumentChange
from afterburner.lsp_server.text.reached import uses_the_same
from afterburner.lsp_server.text.rebase import edits_inside, in_one_piece, rebased, text_of_function

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.types import Gain

_LOSS = 0.95  # a gain nearer to 1 is noise
_MOST_BRIEF = 64  # characters: what a lens has room for, with its buttons beside it
_MOST_GIVEN = 20  # of them for what the user states
_MADE = ", without made inputs,"  # in what is told of the real calls


@dataclass(frozen=True, slots=True)
class Offer:
    """A proven rewrite of one function of one document.

    Attributes:
        uri: of the document.
        result: of the run.
        function: its qualified name.
        before: the document as it was.
        after: the document as it is offered.
        original: the function as it was.
        rewrite: the function as it is offered.
    """

    uri: str
    result: RunResult
    function: str
    before: str
    after: str
    original: str
    rewrite: str

    @classmethod
    def of(cls, uri: str, result: RunResult, function: str) -> Offer:
        """The offer that a run of a file has come to."""
        return cls.of_change(DocumentChange(uri, result.target.source, result.best_source), result, function)

    @classmethod
    def of_change(cls, change: DocumentChange, result: RunResult, function: str) -> Offer:
        """The offer that a run has come to: a change of one document."""
        original, rewrite = (text_of_function(text, function) or "" for text in (change.before, change.after))
        return cls(change.uri, result, function, change.before, change.after, original, rewrite)

    def edits_for(self, text: str) -> tuple[TextEdit, ...] | None:
        """What puts the rewrite into a text; None: its function is another one, or uses something else."""
        if not uses_the_same(self.before, text, self.function):
            return None
        found = rebased(self.before, edits_between(self.before, self.after), text, self.function)
        return None if found is None else in_one_piece(text, found, self.function)

    def reverting_edits_for(self, text: str) -> tuple[TextEdit, ...] | None:
        """What takes the rewrite out of a text again; None: it is not there.

        What it has brought outside of the function, such as an import, stays where the text has changed since: other
        code may use it by now.
        """
        back = edits_between(self.after, self.before)
        wanted = back if text == self.after else edits_inside(self.after, back, self.function)
        return rebased(self.after, wanted, text, self.function)

    def is_in(self, text: str) -> bool:
        """Whether a text has the rewrite."""
        return text_of_function(text, self.function) == self.rewrite

    def is_partly_in(self, text: str) -> bool:
        """Whether a text has some lines of the rewrite that the original has not, but not the rewrite."""
        now = split_lines(text_of_function(text, self.function) or "")
        added = set(split_lines(self.rewrite)) - set(split_lines(self.original))
        return not self.is_in(text) and any(line in added for line in now)

    def is_out_of(self, text: str) -> bool:
        """Whether a text has the function as it was."""
        return text_of_function(text, self.function) == self.original

    @property
    def short(self) -> str:
        """`3.1x faster (2.8x to 3.4x), proven`, and what a user has to know before applying it.

        That is what the user states of every input, a difference beyond the kinds of the real calls, that these do not
        show the gain, a loss by size (`1.4x slower on small inputs`), and that no input is from the project.
        """
        gain = "" if self.result.gain is None else f"{_gain(self.result.objective, self.result.gain)}, "
        limits = [words for words, _ in self._limits()]
        return "; ".join([" ".join(filter(None, [f"{gain}proven", given(self.result.assume)])), *limits])

    @property
    def brief(self) -> str:
        """The same in one short line: the gain, what matters most beside it, and how much more there is to know."""
        if len(self.short) <= _MOST_BRIEF:
            return self.short
        gain = self.result.gain
        told = "proven" if gain is None else f"{_ratio(self.result.objective, gain)}, proven"
        limits = [
            *filter(None, [given(self.result.assume, _MOST_GIVEN, "given what you state")]),
            *(words for _, words in self._limits()),
        ]
        known = len(limits)
        while limits and len(told) + len("; ") + len(limits[0]) <= _MOST_BRIEF - len(_more(limits[1:], "more caveat")):
            told = f"{told}; {limits.pop(0)}"
        return told + _more(limits, "more caveat" if len(limits) < known else "caveat")

    def _limits(self) -> Iterator[tuple[str, str]]:
        """What the gain, or the proof, does not hold of, whole and in a few words; what matters most comes first."""
        by_size = self.result.by_size
        sizes = [] if by_size is None else [("small", by_size.small), ("large", by_size.large)]
        if self.result.caveat:
            whole = 'not the same on elements of other kinds: "Show the report" names one'
            yield whole, "differs on other kinds"
        if real := self.result.on_real_calls.replace(_MADE, ""):
            yield real, real
        losses = [f"{format_change(ratio)} on {size} inputs" for size, ratio in sizes if ratio < _LOSS]
        yield from zip(losses, losses, strict=True)
        if self.result.invented_inputs:
            yield NONE_FROM_PROJECT, "no input of yours"


class HeldResult(NamedTuple):
    """The result of a run, and of which function of which document it is."""

    uri: str
    function: str
    result: RunResult


class Offers:
    """The offers by document and function, and results without one; a later one takes the place of an earlier one."""

    def __init__(self) -> None:
        self._offers: dict[tuple[str, str], Offer] = {}
        self._without: dict[tuple[str, str], RunResult] = {}

    def keep(self, offer: Offer) -> None:
        """Keep an offer."""
        self._offers[offer.uri, offer.function] = offer

    def keep_without(self, uri: str, function: str, result: RunResult) -> None:
        """Keep the result of a run that offers nothing, to report on it."""
        self._without[uri, function] = result

    def keep_stored(self, offer: Offer) -> bool:
        """Keep an offer that the store of runs holds, unless there is a later one; whether it is kept."""
        held = self.get(offer.uri, offer.function)
        if held is not None and held.result.run_id >= offer.result.run_id:  # ids sort by time
            return False
        self.keep(offer)
        return True

    def forget(self, uri: str) -> None:
        """Forget the offers of a document."""
        self._offers = {key: offer for key, offer in self._offers.items() if key[0] != uri}
        self._without = {key: result for key, result in self._without.items() if key[0] != uri}

    def get(self, uri: str, function: str) -> Offer | None:
        """The offer of a function."""
        return self._offers.get((uri, function))

    def result(self, uri: str, function: str, text: str) -> RunResult | None:
        """The latest result of a function; that of its offer, if the text has the rewrite."""
        offer, without = self.get(uri, function), self._without.get((uri, function))
        if offer is None or without is None:
            return without if offer is None else offer.result
        is_offered = offer.is_in(text) or offer.result.run_id > without.run_id  # ids sort by time
        return offer.result if is_offered else without

    def latest(self, uri: str) -> HeldResult | None:
        """The latest result of a document; where it has none, that of all documents."""
        found = [HeldResult(*key, offer.result) for key, offer in self._offers.items()]
        found += [HeldResult(*key, result) for key, result in self._without.items()]
        here = [each for each in found if each.uri == uri]
        return max(here or found, key=lambda each: each.result.run_id, default=None)


def _more(limits: Sequence[str], noun: str) -> str:
    """How much there is to know beside what is told."""
    return f"; {count(len(limits), noun)}" if limits else ""


def _ratio(objective: str, gain: Gain) -> str:
    better = {"time": "faster", "memory": "less peak memory", "integral": "less memory over time"}[objective]
    return f"{format_ratio(gain.ratio)} {better}"


def _gain(objective: str, gain: Gain) -> str:
    return f"{_ratio(objective, gain)} ({format_ratio(gain.low)} to {format_ratio(gain.high)})"

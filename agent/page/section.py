"""What a page tells of one run or one comparison, in the words of whoever made it; nothing in it is escaped yet."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.agent.evidence.growth import Growth
    from afterburner.agent.evidence.samples import SampleFigures
    from afterburner.agent.types import Gain


class Tone(StrEnum):
    """How a decision is coloured."""

    GOOD = "good"
    BAD = "bad"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One figure of both versions, with units."""

    name: str  # "CPU time"
    before: str
    after: str = ""  # empty: there is no other version to tell of
    ratio: str = ""  # before over after: "8.00x"
    interval: str = ""  # "7.50x to 8.60x", of the figure that decides
    decides: bool = False  # whether the decision rests on this figure


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One rewrite that was tried, and what became of it."""

    id: str
    proposer: str
    decision: str
    gain: str  # over the best version before its round; empty: it was not timed
    reason: str
    counterexample: str = ""


@dataclass(frozen=True, slots=True)
class PageSection:
    """One result. Every text may come from code, from a model or from a stranger: `render_page` escapes it."""

    title: str  # the function, or the file of a program
    decision: str  # "Improved"
    tone: Tone
    sentence: str  # what was found, or why nothing is offered
    place: str = ""  # the file, from the root of its project
    gain: Gain | None = None
    figures: tuple[FigureRow, ...] = ()
    samples: SampleFigures | None = None
    growth: Growth | None = None
    patch: str = ""  # a unified diff
    facts: tuple[tuple[str, str], ...] = ()  # how it was measured: a label and a text
    notes: tuple[str, ...] = ()
    counterexample: tuple[str, ...] = ()  # lines
    candidates: tuple[CandidateRow, ...] = ()
    candidates_note: str = ""  # what their gains are over, where it has to be told

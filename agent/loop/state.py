"""The state of a run as the checkpointer stores it: typed, small, serialisable.

Nodes replace whole values and never append in place, so a node that runs twice after a crash changes nothing. Several
values are held in lists, for the checkpoint brings tuples back as lists.
"""

from __future__ import annotations

from typing import TypedDict

from afterburner.agent.inputs.line_profile import LineCost, LineProfile
from afterburner.agent.judge.confirmation import Confirmation, Incumbent
from afterburner.agent.judge.measuring.sampling import Block, Sample, SampleMode
from afterburner.agent.types import AnswerRecord, Candidate, Decision, Gain, HeldOut, JudgedCandidate
from afterburner.agent.usage import Usage
from afterburner.sandbox import Measurement, Verdict


class LoopState(TypedDict):
    """What the graph carries from node to node."""

    iteration: int
    lineage: list[Incumbent]  # the original first, each accepted candidate after it; the last one is C*
    slowest_s: float | None  # wall time of the original's slowest case, which sets the limits of its rewrites
    pending: list[Candidate]  # that wait to be judged
    records: list[JudgedCandidate]
    restarts: list[str]  # ids of the candidates that a round went on from instead of the last of the lineage
    exhausted: bool  # the proposer has nothing more, or the time budget for selection is used up
    winners: list[Incumbent]  # to fall back on, the best first; from the first confirmation on
    tried: int  # winners whose confirmation has ended
    confirmation: Confirmation | None  # the last one
    line_profile: LineProfile | None  # of an incumbent, where a language model is told of it
    usage: Usage  # of language models, as of the last iteration that was asked for
    used_s: float  # of the time budget, when the last node ended


CHECKPOINTED_TYPES = (
    AnswerRecord,
    Block,
    Candidate,
    JudgedCandidate,
    SampleMode,
    Confirmation,
    Decision,
    Gain,
    HeldOut,
    Incumbent,
    LineCost,
    LineProfile,
    Measurement,
    Sample,
    Usage,
    Verdict,
)

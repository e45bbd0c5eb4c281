"""The state of a run as the checkpointer stores it: typed, small, serialisable.

Nodes replace whole values and never append in place, so a node that runs twice after a crash changes nothing. Several
values are held in lists, for the checkpoint brings tuples back as lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypedDict

from afterburner.agent.inputs.line_profile import LineCost, LineProfile
from afterburner.agent.judge.confirmation import Confirmation, Incumbent
from afterburner.agent.judge.input_gains import RealCalls
from afterburner.agent.judge.measuring.sampling import Block, Sample, SampleMode
from afterburner.agent.types import AnswerRecord, Candidate, Decision, Gain, GainRange, HeldOut, JudgedCandidate
from afterburner.agent.usage import Usage
from afterburner.sandbox import Measurement, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NOTHING_LEFT = "the proposer had no further rewrite to propose"


class LoopState(TypedDict):
    """What the graph carries from node to node."""

    iteration: int
    lineage: list[Incumbent]  # the original first, each accepted candidate after it; the last one is C*
    slowest_s: float | None  # wall time of the original's slowest case, which sets the limits of its rewrites
    pending: list[Candidate]  # that wait to be judged
    records: list[JudgedCandidate]
    restarts: list[str]  # ids of the candidates that a round went on from instead of the last of the lineage
    exhausted: bool  # the proposer has nothing more, or the time budget for selection is used up
    ended_early: str  # why not all rounds were made, in words for the user; empty: they were, or are still to be
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
    GainRange,
    HeldOut,
    Incumbent,
    LineCost,
    LineProfile,
    Measurement,
    RealCalls,
    Sample,
    Usage,
    Verdict,
)


def empty_state() -> LoopState:
    """What the graph is started with."""
    return LoopState(
        iteration=0,
        lineage=[],
        slowest_s=None,
        pending=[],
        records=[],
        restarts=[],
        exhausted=False,
        ended_early="",
        winners=[],
        tried=0,
        confirmation=None,
        line_profile=None,
        usage=Usage(),
        used_s=0.0,
    )


class Node(Protocol):
    """What LangGraph takes for a node."""

    def __call__(self, state: LoopState) -> dict[str, object]:
        """Give the part of the state that changes."""


def on_the_clock(node: Callable[[LoopState], Mapping[str, object]], used_s: Callable[[], float]) -> Node:
    """The node, with the time that was used up when it ended."""

    def carried_out(state: LoopState) -> dict[str, object]:
        return {**node(state), "used_s": used_s()}

    return carried_out


def round_of(incumbent: Incumbent) -> int:
    """The round that an incumbent was found in; 0 of the original."""
    found, _, _ = incumbent.id.partition(".")
    return int(found) if found.isdigit() else 0


def trajectory_of(state: LoopState) -> tuple[Incumbent | None, ...]:
    """The best so far after each round, the code to begin with first; None as long as there is no code."""
    found: list[Incumbent | None] = []
    for iteration in range(state["iteration"] + 1):
        known = [each for each in state["lineage"] if round_of(each) <= iteration]
        found.append(known[-1] if known else None)
    return tuple(found)

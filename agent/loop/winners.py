"""Which candidates become the incumbent, and which of them are confirmed in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.judge.confirmation import Incumbent
from afterburner.agent.types import Decision

if TYPE_CHECKING:
    from afterburner.agent.loop.state import LoopState
    from afterburner.agent.types import JudgedCandidate


def winners_of(state: LoopState) -> list[Incumbent]:
    """Whom to confirm: the last incumbent, those before it, then who else beat the original, the best first."""
    original, *accepted = state["lineage"]
    known = {incumbent.id for incumbent in accepted}
    others = [
        promoted(record, original)
        for record in state["records"]
        if record.iteration == 1 and record.decision is Decision.PROMISING and record.id not in known
    ]
    return [*reversed(accepted), *sorted(others, key=lambda other: -other.ratio)]


def promoted(record: JudgedCandidate, before: Incumbent) -> Incumbent:
    """The candidate as the incumbent that follows the one it was compared with."""
    measurement = record.measurement or before.measurement
    return Incumbent(record.id, record.source, measurement, before.ratio * ratio_of(record))


def ratio_of(record: JudgedCandidate) -> float:
    """How many times better a candidate is than what it was compared with; 1.0 where nobody knows."""
    return record.gain.ratio if record.gain else 1.0

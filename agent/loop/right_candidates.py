"""The candidates that behaved like the original, against the original, each with why it is not offered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.types import Decision, Objective
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.types import JudgedCandidate

_IS_BETTER = {
    Objective.TIME: "is faster",
    Objective.MEMORY: "needs less memory",
    Objective.INTEGRAL: "needs less memory over time",
}


@dataclass(frozen=True, slots=True)
class RightCandidate:
    """One row: how many times better than the original, and why it is not offered, in plain words; empty: it is."""

    id: str
    over_original: float
    why_not: str


def right_candidates(result: RunResult) -> list[RightCandidate]:
    """Every candidate that was right as far as it was tried and timed, the best first.

    The gain is of the latest comparison with the original; where there was none but by way of an incumbent, the product
    of both gains.
    """
    winner = next((each.id for each in result.candidates if each.decision is Decision.IMPROVED), "")
    rows = [
        RightCandidate(each.id, _over_original(each, result), _why_not(each, result, winner))
        for each in result.candidates
        if each.verdict is Verdict.ACCEPTED and each.gain is not None
    ]
    return sorted(rows, key=lambda row: (row.id != winner, -row.over_original))


def _over_original(candidate: JudgedCandidate, result: RunResult) -> float:
    if candidate.over_original is not None:
        return candidate.over_original.ratio
    base = _base_of(candidate, result)
    return (candidate.gain.ratio if candidate.gain else 1.0) * (base[1] if base else 1.0)


def _base_of(candidate: JudgedCandidate, result: RunResult) -> tuple[str, float] | None:
    """The incumbent that it was compared with, and how many times better than the original that seemed to be."""
    before = result.trajectory[: candidate.iteration]
    last = before[-1] if before else None
    return None if last is None or last.id == "original" else (last.id, last.ratio)


def _why_not(candidate: JudgedCandidate, result: RunResult, winner: str) -> str:
    better = _IS_BETTER[result.objective]
    match candidate.decision:
        case Decision.IMPROVED:
            return ""
        case Decision.CONDITIONAL:
            return "right under a condition only"
        case Decision.PROMISING if winner:
            return f"right, but {winner} {better}"
        case Decision.PROMISING:
            return "right, but it was not tested against the original any more"
        case Decision.NOT_BETTER if candidate.over_original is None and (base := _base_of(candidate, result)):
            return f"right, but {base[0]} {better}"
    return f"right, but {candidate.reason}"

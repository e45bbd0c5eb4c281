"""The candidates that behaved like the original, against the original, each with why it is not offered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.loop.search_policy import incumbent_before, over_original
from afterburner.agent.loop.state import round_of
from afterburner.agent.types import Decision
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.confirmation import Incumbent
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.types import JudgedCandidate

_THE_SAME = "the same on the workload"  # made inputs are tried on winners alone


@dataclass(frozen=True, slots=True)
class RightCandidate:
    """One row: how many times better than the original, and why it is not offered, in plain words; empty: it is."""

    id: str
    over_original: float
    why_not: str
    figure: str = ""  # that the gain is of, where that is not the objective's own


def right_candidates(result: RunResult) -> list[RightCandidate]:
    """Every candidate that did the same on the workload and was timed, the best first: most were tried no further.

    The gain is of the latest comparison with the original; where there was none but by way of an incumbent, the product
    of both gains.
    """
    winner = next((each.id for each in result.candidates if each.decision is Decision.IMPROVED), "")
    lineage = [each for each in result.trajectory if each is not None]
    rows = [
        RightCandidate(each.id, over_original(each, lineage), _why_not(each, lineage, winner), _figure(each))
        for each in result.candidates
        if each.verdict is Verdict.ACCEPTED and each.gain is not None
    ]
    return sorted(rows, key=lambda row: (row.id != winner, -row.over_original))


def _figure(candidate: JudgedCandidate) -> str:
    return candidate.figure if candidate.over_original is None else candidate.over_original_figure


def _why_not(candidate: JudgedCandidate, lineage: Sequence[Incumbent], winner: str) -> str:
    match candidate.decision:
        case Decision.IMPROVED:
            return ""
        case Decision.CONDITIONAL:
            return "the same only on a condition"
        case Decision.PROMISING if winner:
            return f"{_THE_SAME}, but {winner} was tested first"
        case Decision.PROMISING:
            return f"{_THE_SAME}, but no test was left for it"
        case Decision.NOT_BETTER if candidate.over_original is None:
            base = incumbent_before(candidate, lineage)
            if base is not None and round_of(base):
                return f"{_THE_SAME}, but no better than {base.id} in screening"
    return f"{_THE_SAME}, but {candidate.reason}"

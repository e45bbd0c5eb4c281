"""Which candidates become the incumbent, and which of them are confirmed in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.judge.confirmation import Incumbent
from afterburner.agent.loop.search_policy import over_original
from afterburner.agent.loop.state import round_of
from afterburner.agent.types import Decision

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from afterburner.agent.loop.state import LoopState
    from afterburner.agent.types import JudgedCandidate

NOT_CLEARLY_BETTER = "not clearly better than the best so far, when the time was over"
NEARLY_AS_GOOD = 1.2  # times the gain that one has whose offer would need no condition
_STANDING = (Decision.PROMISING, Decision.IMPROVED)


def winners_of(state: LoopState, min_effect: float) -> list[Incumbent]:
    """The candidates to confirm: the last incumbent, then the others that may beat the original, the best first.

    That includes a candidate that lost only to an incumbent, for the incumbent may turn out to be wrong.

    Args:
        state: of a search that is over, or of a run whose offer was withdrawn.
        min_effect: a smaller gain over the original is not worth a test.
    """
    original, *accepted = state["lineage"]
    records = {record.id: record for record in state["records"]}
    known = {incumbent.id for incumbent in accepted}
    standing = [each for each in accepted if each.id not in records or records[each.id].decision in _STANDING]
    others = [
        Incumbent(record.id, record.source, record.measurement or original.measurement, ratio)
        for record, ratio in ((each, over_original(each, state["lineage"])) for each in records.values())
        if record.id not in known
        and (record.decision is Decision.PROMISING or (lost_to_incumbent(record, state) and ratio > 1 + min_effect))
    ]
    return [*standing[-1:], *sorted((*standing[:-1], *others), key=lambda each: -each.ratio)]


def unconditional_first(winners: Sequence[Incumbent], conditional: Collection[str]) -> list[Incumbent]:
    """The same winners in the same order, but behind the others those whose offer would have a condition.

    Unless they are more than `NEARLY_AS_GOOD` times as good as the others: then the user is told of them in any case.

    Args:
        winners: to be confirmed in this order.
        conditional: the ids of those that could only be offered on a condition.
    """
    best = max((each.ratio for each in winners if each.id not in conditional), default=0.0)
    return sorted(winners, key=lambda each: each.id in conditional and each.ratio <= NEARLY_AS_GOOD * best)


def lost_to_incumbent(record: JudgedCandidate, state: LoopState) -> bool:
    """Whether a right candidate is no better than another one, which says nothing of it and the original."""
    return record.decision is Decision.NOT_BETTER and record.over_original is None and met_incumbent(record, state)


def met_incumbent(record: JudgedCandidate, state: LoopState) -> bool:
    """Whether a candidate was compared with another one, and never with the original."""
    is_timed = record.gain is not None and record.over_original is None
    return is_timed and any(0 < round_of(each) < record.iteration for each in state["lineage"])


def clearly_better(record: JudgedCandidate, incumbent: Incumbent) -> bool:
    """Whether a candidate may take the place of a right rewrite that there will be no time to fall back on.

    Where it falls, that one falls with it. Of the original nothing can fall.
    """
    return not round_of(incumbent) or (record.gain is not None and record.gain.low > 1)


def promoted(record: JudgedCandidate, before: Incumbent) -> Incumbent:
    """The candidate as the incumbent that follows the one it was compared with."""
    measurement = record.measurement or before.measurement
    return Incumbent(record.id, record.source, measurement, before.ratio * ratio_of(record))


def ratio_of(record: JudgedCandidate) -> float:
    """How many times better a candidate is than what it was compared with; 1.0 where that is unknown."""
    return record.gain.ratio if record.gain else 1.0

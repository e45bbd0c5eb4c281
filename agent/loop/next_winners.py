"""Finds the winners to confirm next, after one was refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.judge.measuring.sequential import MOST_TESTS
from afterburner.agent.loop.records import sampled_again
from afterburner.agent.loop.winners import met_incumbent
from afterburner.agent.types import Decision

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.comparison import Comparison
    from afterburner.agent.judge.confirmation import Incumbent
    from afterburner.agent.judge.confirming import Confirming
    from afterburner.agent.loop.state import LoopState
    from afterburner.agent.types import JudgedCandidate


@dataclass(frozen=True, slots=True)
class NextWinners:
    """The winners that are left after one was refused, for whatever reason."""

    confirming: Confirming
    until: Deadline

    def after(self, state: LoopState) -> tuple[list[Incumbent], list[JudgedCandidate]]:
        """The winners to confirm next, the best first, and the records.

        If the winner was no better after all, the others shared its samples of the original, so they are sampled again.
        So is a winner that was compared with an incumbent and never with the original.
        """
        confirmation, winners, records = state["confirmation"], state["winners"], state["records"]
        is_over = state["tried"] >= MOST_TESTS or self.confirming.tests.used_up or self.until.passed()
        if confirmation is None or confirmation.confirmed or is_over or not winners:
            return [], records
        known = {record.id: record for record in records}
        in_doubt = confirmation.decision in {Decision.NOT_BETTER, Decision.TOO_NOISY}
        unknown = [each for each in winners if in_doubt or (each.id in known and met_incumbent(known[each.id], state))]
        if not unknown:
            return winners, records
        told = self._sampled_again(unknown, state["lineage"][0], state["tried"])
        still = [each for each in (_with_new_ratio(winner, told) for winner in winners) if each is not None]
        records = [sampled_again(record, told[record.id]) if record.id in told else record for record in records]
        return sorted(still, key=lambda winner: -winner.ratio), records

    def _sampled_again(self, winners: Sequence[Incumbent], original: Incumbent, attempt: int) -> dict[str, Comparison]:
        """What new samples say of these winners; those that there was no time for are missing."""
        compared = self.confirming.sampled_again(winners, original, attempt)
        return {
            winner.id: comparison
            for winner, comparison in zip(winners, compared, strict=True)
            if comparison.gain is not None or comparison.decision is not Decision.REFUSED
        }


def _with_new_ratio(winner: Incumbent, told: Mapping[str, Comparison]) -> Incumbent | None:
    """The winner with the ratio of its new samples, if there are any; None if they do not look promising."""
    comparison = told.get(winner.id)
    if comparison is None:
        return winner
    if comparison.decision is not Decision.PROMISING or comparison.gain is None:
        return None
    return replace(winner, ratio=comparison.gain.ratio)

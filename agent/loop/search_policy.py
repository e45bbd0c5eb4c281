"""How a run searches: from which rewrite each round goes on, how daring the model is, and when it is enough.

Everything follows from the state that is stored after each step, so a resumed run goes on as it would have done.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.loop.state import round_of
from afterburner.agent.option_kinds import SearchStyle, Temperature
from afterburner.agent.types import Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.confirmation import Incumbent
    from afterburner.agent.loop.state import LoopState
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import JudgedCandidate


@dataclass(frozen=True, slots=True)
class SearchPolicy:
    """The decisions of one run's search.

    Attributes:
        iterations: the most rounds.
        patience: after so many rounds in a row that found nothing better the search ends; 0: never.
        restart: after so many, each further round goes on from the next best instead of the best; 0: never.
        temperature: None: the model's own.
    """

    iterations: int
    patience: int
    restart: int
    temperature: Temperature | None = None

    @classmethod
    def of(cls, settings: RunSettings) -> SearchPolicy:
        """The policy that the settings ask for; what they leave open is the preset's."""
        search = settings.search
        patience, restart = _PRESETS[search.style]
        return cls(
            search.iterations,
            patience if search.patience is None else search.patience,
            restart if search.restart is None else search.restart,
            Temperature.read(search.temperature) if search.temperature else None,
        )

    def temperature_of(self, iteration: int) -> float | None:
        """What a model is asked with in a round; None: its own."""
        return None if self.temperature is None else self.temperature.of_round(iteration, self.iterations)

    def is_over(self, state: LoopState) -> bool:
        """Whether no further round is made: all are, nothing is left to propose, or nothing better comes."""
        return state["exhausted"] or state["iteration"] >= self.iterations or self.has_given_up(state)

    def has_given_up(self, state: LoopState) -> bool:
        """Whether so many rounds in a row found nothing better that the search ends."""
        return 0 < self.patience <= fruitless_rounds(state)

    def restart_from(self, state: LoopState) -> JudgedCandidate | None:
        """The candidate that the next round goes on from instead of the best; None: from the best.

        It is the best of those that were promising and that no round has restarted from.
        """
        if not 0 < self.restart <= fruitless_rounds(state):
            return None
        used = {state["lineage"][-1].id, *state["restarts"]}
        return next((record for record in _ranked(state) if record.id not in used), None)


_PRESETS = {SearchStyle.ADAPTIVE: (4, 2), SearchStyle.GREEDY: (0, 0)}  # patience, restart


def fruitless_rounds(state: LoopState) -> int:
    """How many rounds in a row, up to the last, did not replace the best so far."""
    return state["iteration"] - round_of(state["lineage"][-1])


def _ranked(state: LoopState) -> list[JudgedCandidate]:
    """The promising candidates, by how many times better than the original screening saw them, the best first."""
    promising = [record for record in state["records"] if record.decision is Decision.PROMISING and record.gain]
    return sorted(promising, key=lambda record: -over_original(record, state["lineage"]))


def over_original(record: JudgedCandidate, lineage: Sequence[Incumbent]) -> float:
    """How many times better than the original a candidate is.

    Where the two were not compared, it is so by way of the incumbent that the candidate was compared with.
    """
    if record.over_original is not None:
        return record.over_original.ratio
    before = incumbent_before(record, lineage)
    return (before.ratio if before else 1.0) * (record.gain.ratio if record.gain else 1.0)


def incumbent_before(record: JudgedCandidate, lineage: Sequence[Incumbent]) -> Incumbent | None:
    """The incumbent that a candidate was compared with in its round; None where there was none yet."""
    before = [each for each in lineage if round_of(each) < record.iteration]
    return before[-1] if before else None

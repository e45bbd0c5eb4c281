"""Asks the language model that takes part, once for a winner, for calls on which it may differ from the original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.locate import with_source
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage
from afterburner.agent.loop.placing import describing
from afterburner.agent.models.prompts.doubting import DoubtRequest, Sceptic, sceptic_of
from afterburner.agent.models.prompts.snippet import snippet_of

if TYPE_CHECKING:
    from afterburner.agent.code.context.surroundings import Surroundings
    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.confirmation import Incumbent
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.models.prompts.proposer import Proposer
    from afterburner.agent.models.requests.model_session import ModelSession
    from afterburner.agent.options import ModelOptions
    from afterburner.agent.usage import Usage


@dataclass(frozen=True, slots=True)
class Doubting:
    """What it takes to ask. A request that is made again after the run was killed is the same, so it is paid once."""

    bench: Workbench
    proposer: Proposer
    options: ModelOptions
    until: Deadline
    on_event: OnEvent
    surroundings: Surroundings | None
    model_session: ModelSession | None

    @property
    def sceptic(self) -> Sceptic | None:
        """Who is asked; None: nobody, as rules alone propose, the user wants none, or no calls can be made."""
        is_function = self.bench.target.language == PYTHON and not self.bench.by_cases
        return sceptic_of(self.proposer) if self.options.sceptic and is_function else None

    def ask(self, sceptic: Sceptic, winner: Incumbent, seed: int, usage: Usage) -> str:
        """A snippet of calls.

        Raises:
            ProposerError: there is none; the message says why.
        """
        self.on_event(
            ProgressEvent(kind=EventKind.DOUBTING, stage=Stage.CONFIRM, subject=sceptic.name, candidate=winner.id)
        )
        if self.model_session is not None:
            # The time for the search is over; one answer may still take what an answer may take.
            self.model_session.prolong(self.until.within(self.options.timeout_s))
        request = DoubtRequest(
            original=self.bench.target,
            rewrite=with_source(self.bench.target, winner.source),
            candidate=winner.id,
            iteration=int(winner.id.partition(".")[0]),
            seed=seed,
            describe=describing(self.bench, self.surroundings),
            usage=usage,
        )
        return snippet_of(sceptic.doubt(request))

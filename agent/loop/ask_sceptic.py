"""Asks a language model, once for each winner, for calls on which the winner may differ from the original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.locate import with_source
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage
from afterburner.agent.loop.placing import describing
from afterburner.agent.loop.state import round_of
from afterburner.agent.models.prompts.sceptic_prompt import DoubtRequest, Sceptic, sceptic_of
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
class ScepticAsker:
    """What it takes to ask a sceptic: a model that gives calls on which a winner may differ from the original.

    A run that was killed repeats the same request when it is resumed, so the answer is paid for once.
    """

    bench: Workbench
    proposer: Proposer
    options: ModelOptions
    until: Deadline
    on_event: OnEvent
    surroundings: Surroundings | None
    model_session: ModelSession | None

    @property
    def sceptic(self) -> Sceptic | None:
        """The model to ask; None where no model takes part, the user wants no sceptic, or no calls can be made."""
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
            # The time for the search is over; one answer may still take as long as any.
            self.model_session.prolong(self.until.within(self.options.timeout_s))
        request = DoubtRequest(
            original=self.bench.target,
            rewrite=with_source(self.bench.target, winner.source),
            candidate=winner.id,
            iteration=round_of(winner),
            seed=seed,
            describe=describing(self.bench, self.surroundings),
            usage=usage,
        )
        return snippet_of(sceptic.doubt(request))

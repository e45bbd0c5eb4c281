"""The prompt of a run's first iteration: as it was sent, or as it would have been."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.job.problem import Problem
from afterburner.agent.models.prompts.feedback import parse_telling
from afterburner.agent.models.prompts.messages import messages_for
from afterburner.agent.models.prompts.proposer import ProposalRequest
from afterburner.agent.models.requests.secrets import Scrubber, has_stand_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.types import Target
    from afterburner.training.data.prompts import Messages
    from afterburner.training.runs.reading import ProvenRun


def prompt_of(run: ProvenRun) -> Messages:
    """The messages that ask for a rewrite of the run's original.

    Where a language model was asked in the first iteration, it is what the model was sent, byte for byte. Otherwise,
    the same code makes it of the same facts, but for the line profile, which only a model's run takes.
    """
    for each in run.result.candidates:
        if each.iteration == 1 and each.answer is not None and each.answer.messages:
            return [dict(message) for message in each.answer.messages]
    result, search = run.result, run.settings.search
    original = result.trajectory[0] if result.trajectory else None
    return messages_for(
        ProposalRequest(
            result.target,
            result.objective,
            original.measurement if original is not None else result.original,
            passed=True,
            iteration=1,
            count=search.candidates,
            tell=parse_telling(run.settings.models.tell),
            describe=_describing(run),
        )
    )


def holds_secret(texts: list[str]) -> bool:
    """Whether a secret value of this environment is in one of the texts, or was hidden in it when it was sent."""
    scrubber = Scrubber()
    return any(has_stand_in(each) or scrubber.held(each) for each in texts)


def _describing(run: ProvenRun) -> Callable[[Target], str] | None:
    """What the run told of its target; None: its own file says all there is."""
    if run.settings.problem:
        return Problem.from_json(run.settings.problem).describe
    told = run.result.description
    return (lambda _: told) if told else None

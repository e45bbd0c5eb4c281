"""Asks a language model, once and before the loop, for calls of a function that nothing calls."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from afterburner.agent.code.context.surroundings import Surroundings
from afterburner.agent.code.requires import requirements_of
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent
from afterburner.agent.inputs.written_calls import CallWriter
from afterburner.agent.models.prompts.calls_prompt import CallsRequest, call_author_of
from afterburner.agent.models.prompts.snippet import snippet_of
from afterburner.agent.types import WrittenCalls

if TYPE_CHECKING:
    from afterburner.agent.inputs.staging import Staged
    from afterburner.agent.models.prompts.calls_prompt import CallAuthor
    from afterburner.agent.models.prompts.proposer import Proposer
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import Target


def call_writer(settings: RunSettings, proposer: Proposer, staged: Staged, on_event: OnEvent) -> CallWriter | None:
    """The model to ask; None where no model takes part, or the user wants no such calls.

    A request that is made again after the run was killed is the same, so it is paid once.
    """
    author = call_author_of(proposer)
    if author is None or not settings.models.model_workload:
        return None
    return CallWriter(author.name, partial(_write, author, settings, staged, on_event))


def _write(
    author: CallAuthor, settings: RunSettings, staged: Staged, on_event: OnEvent, target: Target
) -> WrittenCalls:
    """The calls of an answer.

    Raises:
        ProposerError: there is no answer, or it holds none.
    """
    on_event(ProgressEvent(kind=EventKind.ASKING_FOR_CALLS, subject=author.name))
    surroundings = Surroundings(target, staged.project, staged.environment, settings)
    assume = (*settings.inputs.assume, *requirements_of(target).expressions)
    request = CallsRequest(target, settings.search.seed, surroundings.describe, assume)
    answer = author.write_calls(request)
    return WrittenCalls(answer.model, snippet_of(answer.text))

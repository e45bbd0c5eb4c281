"""From what a proposer is asked to what a language model is sent: the same for every model of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.code.languages import spoken_name
from afterburner.agent.code.locate import function_source
from afterburner.agent.models.prompts.description import description_of
from afterburner.agent.models.prompts.line_table import line_table
from afterburner.agent.models.prompts.prompt import build_prompt
from afterburner.agent.models.prompts.trail import trail

if TYPE_CHECKING:
    from afterburner.agent.models.prompts.proposer import ProposalRequest


def messages_for(request: ProposalRequest) -> list[dict[str, str]]:
    """Build the messages of a request, with the parts that `request.tell` names.

    Half of a surrogate pair, which a docstring may hold by an escape, cannot be sent: it is written as an escape.
    """
    tell = request.tell
    messages = build_prompt(
        spoken_name(request.target.language),
        request.objective,
        description_of(request),
        function_source(request.target),
        request.passed,
        request.measurement,
        request.counterexample,
        profile=line_table(request.profile, request.target) if tell.profile else "",
        history=trail(request.history, request.target.source, examples=tell.counterexample) if tell.history else "",
        tell=tell,
    )
    return [{key: _sendable(text) for key, text in message.items()} for message in messages]


def _sendable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")

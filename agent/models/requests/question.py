"""What a model is asked: in one iteration, of one winner, or before the first of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from afterburner.agent.code.locate import function_source
from afterburner.agent.models.prompts.calls_prompt import messages_for_calls
from afterburner.agent.models.prompts.messages import messages_for
from afterburner.agent.models.prompts.sceptic_prompt import messages_for_doubt
from afterburner.agent.models.requests.recording import Place, RecordedTarget
from afterburner.agent.models.requests.secrets import has_stand_in
from afterburner.agent.models.requests.spending import LEAST_OUTPUT_TOKENS, least_tokens_for
from afterburner.agent.usage import NOTHING_USED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.agent.models.prompts.calls_prompt import CallsRequest
    from afterburner.agent.models.prompts.proposer import ProposalRequest
    from afterburner.agent.models.prompts.sceptic_prompt import DoubtRequest
    from afterburner.agent.models.requests.prompt_request import PromptRequest
    from afterburner.agent.usage import Usage


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt, and how many answers are wanted."""

    messages: tuple[Mapping[str, str], ...]
    count: int
    place: Place  # in a recording
    seed: int
    stored: Usage  # what the run had used when the iteration began
    temperature: float | None = None
    least_output_tokens: int = LEAST_OUTPUT_TOKENS  # an answer that may be no longer is not asked for

    @classmethod
    def of_proposal(cls, request: ProposalRequest, asked: str, temperature: float | None) -> Self:
        """Ask `asked` for rewrites; at this temperature, unless the request names one."""
        return cls(
            tuple(messages_for(request)),
            request.count,
            Place.of(request, asked),
            request.seed + 1000 * request.run_iteration,
            request.usage,
            temperature if request.temperature is None else request.temperature,
            least_tokens_for(function_source(request.target)),
        )

    @classmethod
    def of_doubt(cls, request: DoubtRequest, asked: str, temperature: float | None) -> Self:
        """Ask `asked` for calls on which a rewrite may differ."""
        place = Place(RecordedTarget.of(request.original), request.iteration, asked, doubted=request.candidate)
        return cls(tuple(messages_for_doubt(request)), 1, place, request.seed, request.usage, temperature)

    @classmethod
    def of_calls(cls, request: CallsRequest, asked: str, temperature: float | None) -> Self:
        """Ask `asked` for calls of a function that nothing calls: the first request of a run."""
        place = Place(RecordedTarget.of(request.target), 0, asked, is_workload=True)
        return cls(tuple(messages_for_calls(request)), 1, place, request.seed, NOTHING_USED, temperature)

    @classmethod
    def of_prompt(cls, request: PromptRequest, asked: str, temperature: float | None) -> Self:
        """Ask `asked` for the answers to a prompt that are not there yet."""
        place = Place(RecordedTarget(request.name, None), request.number, asked)
        count, seed = request.count - request.known, request.seed + request.known
        return cls(request.messages, count, place, seed, NOTHING_USED, temperature)

    @property
    def hidden(self) -> bool:
        """Whether a secret value is hidden in it."""
        return any(has_stand_in(message["content"]) for message in self.messages)

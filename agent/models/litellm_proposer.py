"""A proposer that asks a language model, any that LiteLLM can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.code.locate import function_source
from afterburner.agent.models.prompts.messages import messages_for
from afterburner.agent.models.requests.client import ModelClient, Question
from afterburner.agent.models.requests.language_model import find_model
from afterburner.agent.models.requests.model_answers import proposal_of
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.agent.models.requests.recording import Place
from afterburner.agent.models.requests.spending import least_tokens_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest


class LiteLLMProposer:
    """Asks a model for rewrites, `count` of them an iteration."""

    asks_model = True

    def __init__(
        self,
        model: str,
        *,
        timeout_s: float = 120.0,
        temperature: float | None = None,
        retries: int = 3,
        fallbacks: Sequence[str] = (),
        model_session: ModelSession | None = None,
    ) -> None:
        """Name the model, and those that are asked where it fails.

        `timeout_s` is for one whole answer, `retries` says how often a request is repeated if that may help. Without
        `model_session` nothing is capped and nothing is stored.

        Raises:
            UnknownModelError: LiteLLM does not know the provider, or no model is named.
            ProposerError: a model cannot be asked at all, as far as can be known without a request.
        """
        self.name = model
        self._temperature = temperature
        models = [find_model(name) for name in (model, *fallbacks)]
        self._model_session = model_session or ModelSession()
        self._asker = ModelClient(models, self._model_session, timeout_s=timeout_s, retries=retries)

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        """Ask for `request.count` answers; one that cannot be used comes back with its error.

        Fewer come where a cap is reached; the budget says so.

        Raises:
            ProposerError: no model can be reached, or all refuse; the message says what to do.
        """
        question = Question(
            tuple(messages_for(request)),
            request.count,
            Place.of(request, self.name),
            request.seed + 1000 * request.run_iteration,
            request.usage,
            self._temperature if request.temperature is None else request.temperature,
            least_tokens_for(function_source(request.target)),
        )
        answers = self._asker.ask(question)
        return [proposal_of(answer, request.target, answer.model, self._model_session.scrub) for answer in answers]

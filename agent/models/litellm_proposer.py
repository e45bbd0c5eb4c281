"""A proposer that asks a language model, any that LiteLLM can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.models.prompts.calls_prompt import WrittenAnswer
from afterburner.agent.models.requests.client import ModelClient
from afterburner.agent.models.requests.endings import CapReachedError
from afterburner.agent.models.requests.language_model import find_model
from afterburner.agent.models.requests.model_answers import proposal_of
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.agent.models.requests.question import Question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.models.prompts.calls_prompt import CallsRequest
    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
    from afterburner.agent.models.prompts.sceptic_prompt import DoubtRequest
    from afterburner.agent.models.requests.model_answers import ModelAnswer
    from afterburner.agent.models.requests.prompt_request import PromptRequest


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

    def await_server(self) -> None:
        """Find out early, without a prompt, that no server is there, or that it has another model.

        A server that is not there is waited for as long as in a request.

        Raises:
            ProposerError: nothing listens where the models should be on this machine, or vLLM serves others.
        """
        self._asker.await_server()

    def unlisted(self) -> str:
        """That the model's server lists only others, in words; empty: it lists it, or that is not known."""
        return self._asker.unlisted()

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        """Ask for `request.count` answers; one that cannot be used comes back with its error.

        Fewer come where a cap is reached; the budget says so.

        Raises:
            ProposerError: no model can be reached, or all refuse; the message says what to do.
        """
        answers = self._asker.ask(Question.of_proposal(request, self.name, self._temperature))
        scrub, until = self._model_session.scrub, request.until
        return [proposal_of(answer, request.target, answer.model, scrub, until=until) for answer in answers]

    def doubt(self, request: DoubtRequest) -> str:
        """Ask for calls on which a rewrite may differ; gives the text of the answer.

        Raises:
            ProposerError: no model can be reached, all refuse, or a cap allows no request.
        """
        return self._only_answer(Question.of_doubt(request, self.name, self._temperature)).content

    def write_calls(self, request: CallsRequest) -> WrittenAnswer:
        """Ask for calls of a function that nothing calls.

        Raises:
            ProposerError: no model can be reached, all refuse, or a cap allows no request.
        """
        answer = self._only_answer(Question.of_calls(request, self.name, self._temperature))
        return WrittenAnswer(answer.model, answer.content)

    def answer(self, request: PromptRequest) -> list[ModelAnswer]:
        """Ask for answers to a prompt; see `Answerer`.

        Raises:
            ProposerError: no model can be reached, or all refuse; the message says what to do.
        """
        return self._asker.ask(Question.of_prompt(request, self.name, self._temperature))

    def _only_answer(self, question: Question) -> ModelAnswer:
        answers = self._asker.ask(question)
        if not answers:
            raise CapReachedError(self._model_session.budget.usage().cap)
        return answers[0]

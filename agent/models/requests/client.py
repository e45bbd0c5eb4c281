"""Answers to one prompt: from the cache, from the model, from the next model; several side by side."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from afterburner.agent.errors import ProposerError
from afterburner.agent.events import EventKind
from afterburner.agent.models.requests.absent_server import refused_connection
from afterburner.agent.models.requests.completion import complete, idempotency_key
from afterburner.agent.models.requests.endings import CapReachedError, ModelFailedError
from afterburner.agent.models.requests.failures import absence_of, failure_of, of_unlisted, unserved
from afterburner.agent.models.requests.litellm_module import import_litellm
from afterburner.agent.models.requests.model_answers import ModelAnswer, answers_of, from_body, to_body
from afterburner.agent.models.requests.parallel import at_once
from afterburner.agent.models.requests.patience import patiently
from afterburner.agent.models.requests.prices import cost_of
from afterburner.agent.models.requests.request import ModelRequest, most_prompt_tokens
from afterburner.agent.models.requests.reservation import Reservation
from afterburner.agent.models.requests.served_names import lacks_v1, other_names, unlisted
from afterburner.agent.models.requests.spending import MOST_OUTPUT_TOKENS
from afterburner.agent.usage import known_tokens
from afterburner.sandbox import CancelledError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.models.requests.failures import Failure
    from afterburner.agent.models.requests.language_model import Model
    from afterburner.agent.models.requests.model_session import ModelSession
    from afterburner.agent.models.requests.question import Question

_SHORTEST_LIMIT = 1_024  # an answer's limit of tokens is not made smaller than this for a server's sake


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one request: answers, or why there are none."""

    first: int  # number of the first answer
    answers: list[ModelAnswer]
    problem: ProposerError | None = None

    @property
    def failed(self) -> bool:
        """Whether a model failed. That a cap is reached is no failure."""
        return self.problem is not None and (not isinstance(self.problem, CapReachedError) or bool(self.problem.after))


class RequestFailedError(Exception):
    """One try failed; what it means is in `failure`."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure

    def __str__(self) -> str:
        """The one line that explains it."""
        return self.failure.line


class ModelClient:
    """Asks the first model, and the next one where a model fails for good, and from then on."""

    def __init__(self, models: Sequence[Model], model_session: ModelSession, *, timeout_s: float, retries: int) -> None:
        """Take the models in the order in which they are asked; `timeout_s` is for one whole answer.

        Raises:
            ProposerError: there is a cap of money, and the price of a model is not known.
        """
        self._models = models
        self._model_session = model_session
        self._timeout_s = timeout_s
        self._retries = retries
        self._failed: dict[str, str] = {}  # models that are not asked again, with the reason
        self._failing = threading.Lock()
        unpriced = [model.name for model in models if model.price is None]
        # opens the ledger now: what cannot be written is to be found before any work
        if model_session.budget.caps_money and unpriced:
            raise ProposerError(
                f"The price of {' and '.join(unpriced)} is not known, so --max-cost cannot be kept. Leave it out, and "
                "use --max-tokens or --max-requests."
            )

    def await_server(self) -> None:
        """Find out early, without a prompt, that no server is there, or that it has another model.

        A server that is not there is waited for as long as in a request.

        Raises:
            ModelFailedError: nothing listens at the addresses of the models, which are all on this machine, or vLLM
                serves others.
        """
        try:
            patiently(self._find_server, tries=self._retries + 1, model_session=self._model_session)
        except RequestFailedError as error:
            raise ModelFailedError(error.failure.line) from None

    def unlisted(self) -> str:
        """That the first model's server lists only others, or at another address, in words; empty: neither is known."""
        model = self._models[0]
        if lacks_v1(model.name, self._model_session.cancel):
            return (
                f"{model.name}: there is nothing at the address of its server, {model.server}, but models at "
                f"{model.server}/v1. Add /v1 to it."
            )
        names = self._listed_instead(model)
        if not names:
            return ""
        return (
            f"{model.name}: its server, {model.server}, does not list a model of that name. It lists: "
            f"{', '.join(names)}. It may answer as one of these, or not at all."
        )

    def _listed_instead(self, model: Model) -> list[str]:
        """What a model's server lists in place of it; empty: it lists it, or that is not known."""
        return [self._model_session.scrub.hide(each) for each in unlisted(model.name, self._model_session.cancel)]

    def _find_server(self) -> None:
        found = [self._why_in_vain(model) for model in self._models]
        if found[0] is not None and all(found):
            raise RequestFailedError(found[0])

    def _why_in_vain(self, model: Model) -> Failure | None:
        if refused := refused_connection(model.server):
            return absence_of(model, refused)
        names = other_names(model.name, self._model_session.cancel)
        return unserved(model, [self._model_session.scrub.hide(each) for each in names]) if names else None

    def ask(self, question: Question) -> list[ModelAnswer]:
        """Give up to `count` answers, in an order that does not depend on which came first.

        An answer that could not be had has its `error` set; what a cap did not allow is missing.

        Raises:
            ProposerError: no model gave any answer.
        """
        self._model_session.budget.at_least(question.stored)
        question = replace(question, messages=self._model_session.scrub.hide_all(question.messages))
        replies = self._replies(question, range(question.count), together=self._gives_several(question))
        missing = range(sum(len(reply.answers) for reply in replies), question.count)
        if missing and not any(reply.problem for reply in replies):
            replies += self._replies(question, missing, together=False)  # a server that gives one at a time
        failed = [reply for reply in replies if reply.failed]
        came = any(reply.answers for reply in replies)
        for reply in failed if came else failed[:1]:
            reply.answers.append(ModelAnswer("", self._models[0].name, error=str(reply.problem)))
            self._record(question, reply.first, reply.answers[-1], None)
        if failed and not came:
            raise max((reply.problem for reply in failed if reply.problem), key=lambda problem: len(str(problem)))
        answers = [replace(each, messages=question.messages) for reply in replies for each in reply.answers]
        return answers[: question.count]

    def _gives_several(self, question: Question) -> bool:
        """Whether one request can bring several different answers; at temperature 0 all would be the same."""
        return "n" in self._model().takes and question.count > 1 and question.temperature != 0

    def _replies(self, question: Question, numbers: range, *, together: bool) -> list[Reply]:
        jobs = [(numbers[0], len(numbers))] if together else [(number, 1) for number in numbers]
        return at_once([partial(self._reply, question, first, n) for first, n in jobs])

    def _reply(self, question: Question, first: int, n: int) -> Reply:
        """Ask until a model answers."""
        try:
            while True:
                model = self._model()
                try:
                    return Reply(first, self._answers(model, question, first, n))
                except ModelFailedError as error:
                    self._give_up(model, error)
        except ProposerError as error:
            return Reply(first, [], error)

    def _model(self) -> Model:
        """The first model that has not failed; the last one never counts as failed."""
        return next(model for model in self._models if model.name not in self._failed)

    def _give_up(self, model: Model, error: ModelFailedError) -> None:
        """Go on with the next model.

        Raises:
            ModelFailedError: there is none. The last model is not given up: a later iteration may have better luck.
        """
        with self._failing:
            if model.name in self._failed:
                return
            following = [each for each in self._models if each.name not in self._failed and each.name != model.name]
            if not following:
                raise error
            self._failed[model.name] = str(error)
        self._model_session.report(EventKind.ASKING_ANOTHER, following[0].name, detail=str(error))

    def _answers(self, model: Model, question: Question, first: int, n: int) -> list[ModelAnswer]:
        """Ask one model, again if that may help, and fewer or shorter if the server does not take so much."""
        prompt_tokens = most_prompt_tokens(question.messages)
        fitting, limit = self._model_session.budget.share(
            question.stored,
            question.count,
            prompt_tokens,
            model.price,
            model.max_output_tokens,
            question.least_output_tokens,
        )
        n = min(n, fitting)  # of the others each is asked for by itself, as far as these have left something
        while True:
            request = self._request(model, question, question.seed + first, n, limit)
            try:
                return self._stored(request, question, first) or patiently(
                    partial(self._try, model, request, question, first),
                    tries=self._retries + 1,
                    model_session=self._model_session,
                )
            except RequestFailedError as error:
                if error.failure.too_many and n > 1:
                    n = 1
                elif error.failure.too_long and limit is not None and limit > _SHORTEST_LIMIT:
                    limit = max(limit // 2, _SHORTEST_LIMIT)
                else:
                    failure = self._explained(model, error.failure)
                    raise ModelFailedError(failure.line, turns_all_away=failure.turns_all_away) from None

    def _explained(self, model: Model, failure: Failure) -> Failure:
        """The same failure; if nothing else explains it, and the server lists only other models, it says which."""
        names = self._listed_instead(model) if failure.vague else []
        return of_unlisted(failure, names) if names else failure

    def _request(self, model: Model, question: Question, seed: int, n: int, limit: int | None) -> ModelRequest:
        parameters: dict[str, Any] = {}
        if question.temperature is not None:
            parameters["temperature"] = question.temperature
        if limit is not None:
            parameters["max_tokens"] = limit
        return ModelRequest(model.name, model.server, question.messages, seed, n, parameters)

    def _key(self, request: ModelRequest) -> str:
        """What an answer is stored by: without a cache it is there for this run alone, which may be killed."""
        return idempotency_key(request, None if self._model_session.use_cache else self._model_session.run_id)

    def _stored(self, request: ModelRequest, question: Question, first: int) -> list[ModelAnswer]:
        """What the cache has for exactly this request."""
        store = self._model_session.store
        body = store.get(self._key(request)) if store is not None else None
        if body is None:
            return []
        answers = [replace(answer, cached=True) for answer in from_body(body)]
        self._model_session.budget.count_cached()
        self._model_session.report(EventKind.ANSWERED_FROM_CACHE, request.model)
        for number, answer in enumerate(answers, first):
            self._record(question, number, answer, {"cached": True})
        return answers

    def _try(self, model: Model, request: ModelRequest, question: Question, first: int) -> list[ModelAnswer]:
        """Send a request once. Its answer is stored before it is used, so that it is never paid for twice.

        Raises:
            RequestFailedError: it failed.
            CapReachedError: a cap does not allow it.
        """
        model_session, budget = self._model_session, self._model_session.budget
        with budget.reserved(_most(model, request), self._timeout_s) as (reservation, timeout_s):
            try:
                response = complete(request, model.takes, timeout_s, self._key(request), model_session.cancel)
            except CancelledError:
                raise
            except Exception as error:  # noqa: BLE001 - LiteLLM lets the errors of many client libraries through
                failure = failure_of(import_litellm(), model, error, timeout_s, model_session.scrub)
                if failure.never_arrived:
                    budget.withdraw(reservation)
                elif failure.free:
                    budget.refuse(reservation)
                raise RequestFailedError(failure) from None
            answers = answers_of(response, model.name, model_session.scrub.hide, hidden=question.hidden)[: request.n]
            used = _usage_of(model, response)
            answers[:1] = [replace(answer, usage=used) for answer in answers[:1]]
            if model_session.store is not None and answers:
                model_session.store.put(self._key(request), to_body(answers))
            self._settle(used, reservation)
        model_session.report(EventKind.ANSWERED, model.name)
        answers = answers or [ModelAnswer("", model.name, error="The model's response holds no answer.")]
        for number, answer in enumerate(answers, first):
            self._record(question, number, answer, used if number == first else None)
        return answers

    def _settle(self, used: dict[str, Any] | None, reservation: Reservation) -> None:
        """Count what was used; where the response says nothing, the most that it can be."""
        if used is None:
            self._model_session.budget.settle_unsaid(reservation)
        else:
            self._model_session.budget.settle(
                reservation, used["prompt_tokens"], used["completion_tokens"], used["cost_usd"]
            )

    def _record(self, question: Question, number: int, answer: ModelAnswer, usage: dict[str, Any] | None) -> None:
        if self._model_session.recording is not None:
            self._model_session.recording.append(question.place, number + 1, answer, usage)


def _usage_of(model: Model, response: Any) -> dict[str, Any] | None:
    """What a response says was used, and what that cost; None if it does not say."""
    usage = getattr(response, "usage", None)
    prompt_tokens = known_tokens(getattr(usage, "prompt_tokens", None))
    completion_tokens = known_tokens(getattr(usage, "completion_tokens", None))
    if not (prompt_tokens and completion_tokens):
        return None
    cost = cost_of(import_litellm(), model.name, response, model.price)
    return {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, "cost_usd": cost}


def _most(model: Model, request: ModelRequest) -> Reservation:
    """The most that a request can use; where nothing limits its answer, as long as an answer is reckoned to be."""
    prompt_tokens = most_prompt_tokens(request.messages)
    longest = int(request.parameters.get("max_tokens") or model.max_output_tokens or MOST_OUTPUT_TOKENS)
    cost = None if model.price is None else model.price.most(prompt_tokens, request.n * longest)
    return Reservation(prompt_tokens, request.n * longest, cost)

"""A proposer that runs a model in this process, by vLLM's offline engine: for evaluation and for trained models.

What of vLLM is used: `LLM(…)`, `LLM.get_default_sampling_params`, `LLM.chat`, `LLM.llm_engine.step`, `SamplingParams`,
`LoRARequest`, `RequestOutput`, as they are in vLLM 0.33.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from afterburner.agent.errors import ProposerError
from afterburner.agent.events import EventKind
from afterburner.agent.models.prompts.calls_prompt import WrittenAnswer
from afterburner.agent.models.requests.endings import CapReachedError
from afterburner.agent.models.requests.model_answers import ModelAnswer, proposal_of
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.agent.models.requests.question import Question
from afterburner.agent.models.requests.request import most_prompt_tokens
from afterburner.agent.models.requests.reservation import Reservation
from afterburner.agent.models.vllm_name import parse_engine_model
from afterburner.agent.usage import known_tokens
from afterburner.sandbox import CancelledError
from afterburner.sandbox.extras import install_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.models.prompts.calls_prompt import CallsRequest
    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
    from afterburner.agent.models.prompts.sceptic_prompt import DoubtRequest
    from afterburner.agent.models.requests.prompt_request import PromptRequest
    from afterburner.agent.models.vllm_name import EngineModel

_MAX_MESSAGE_CHARS = 300
_MODELS_OWN = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
# stdout belongs to the report and to `--json -`; nothing about the machine is sent anywhere; Ctrl-C ends all of it.
_ENVIRONMENT = {
    "VLLM_LOGGING_STREAM": "ext://sys.stderr",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
}


class VllmProposer:
    """Loads a model when it is first asked, which takes a minute or more, and keeps it."""

    asks_model = True

    def __init__(
        self, model: str, *, temperature: float | None = None, model_session: ModelSession | None = None
    ) -> None:
        """Name the model as `vllm_name` describes; without a temperature the model's own sampling settings hold.

        Without `model_session` nothing is capped and nothing is recorded.

        Raises:
            UnknownModelError: there is no such model or adapter.
            ProposerError: there is a cap of money, and a model in this process has no price.
        """
        self.name = f"vllm:{model}"
        self._model = parse_engine_model(model)
        self._temperature = temperature
        self._model_session = model_session or ModelSession()
        # opens the ledger now: what cannot be written is to be found before any work
        if self._model_session.budget.caps_money:
            raise ProposerError(
                f"{self.name} runs in this process and has no price, so --max-cost cannot be kept. Leave it out, and "
                "use --max-tokens or --max-requests."
            )

    def check(self) -> None:
        """Find out whether the engine is installed at all, without loading it.

        Raises:
            ProposerError: it is not; the message says how to get it, and what works without.
        """
        if find_spec("vllm") is None:
            raise ProposerError(
                f"{self.name} needs vLLM, which is not installed. Serve the model elsewhere (`vllm serve`) and use "
                "hosted_vllm/<name> with HOSTED_VLLM_API_BASE, or install it on a machine with a GPU: "
                f"{install_command('vllm')}"
            )

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        """Ask for `request.count` answers; one that cannot be used comes back with its error.

        Fewer come where a cap is reached or the time is up; the budget says so.

        Raises:
            ProposerError: the engine cannot start, or cannot take the prompt.
        """
        return self.propose_batch([request])[0]

    def propose_batch(self, requests: Sequence[ProposalRequest]) -> list[list[Proposal]]:
        """Ask for the answers to many requests in one batch, which is what the engine is fast at.

        Fewer come where a cap is reached or the time is up, those of the last requests first; the budget says so.

        Raises:
            ProposerError: the engine cannot start, or cannot take one of the prompts.
        """
        if not requests:
            return []
        try:
            found = self._answers([Question.of_proposal(each, self.name, self._temperature) for each in requests])
        except CapReachedError:
            found = []
        proposals = [
            [self._proposal(answer, request) for answer in answers]
            for answers, request in zip(found, requests, strict=False)
        ]
        return proposals + [[] for _ in requests[len(found) :]]

    def doubt(self, request: DoubtRequest) -> str:
        """Ask for calls on which a rewrite may differ; gives the text of the answer.

        Raises:
            ProposerError: the engine cannot start, cannot take the prompt, or a cap allows no request.
        """
        [[answer]] = self._answers([Question.of_doubt(request, self.name, self._temperature)])
        return answer.content

    def write_calls(self, request: CallsRequest) -> WrittenAnswer:
        """Ask for calls of a function that nothing calls.

        Raises:
            ProposerError: the engine cannot start, cannot take the prompt, or a cap allows no request.
        """
        [[answer]] = self._answers([Question.of_calls(request, self.name, self._temperature)])
        return WrittenAnswer(answer.model, answer.content)

    def answer(self, request: PromptRequest) -> list[ModelAnswer]:
        """Ask for answers to a prompt; see `Answerer`.

        Raises:
            ProposerError: the engine cannot start, or cannot take the prompt.
        """
        return self.answer_batch([request])[0]

    def answer_batch(self, requests: Sequence[PromptRequest]) -> list[list[ModelAnswer]]:
        """Ask for the answers to many prompts in one batch; where a cap is reached, the last of them get fewer.

        Raises:
            ProposerError: the engine cannot start, or cannot take one of the prompts.
        """
        try:
            found = self._answers([Question.of_prompt(each, self.name, self._temperature) for each in requests])
        except CapReachedError:
            found = []
        return found + [[] for _ in requests[len(found) :]]

    def _answers(self, questions: Sequence[Question]) -> list[list[ModelAnswer]]:
        """Ask within the caps, and record what came; the answers to as many questions as the caps allow.

        Raises:
            CapReachedError: a cap, or the time, allows no request, or the time was up before its end.
        """
        model_session, budget = self._model_session, self._model_session.budget
        for question in questions:
            budget.at_least(question.stored)
        hide = model_session.scrub.hide_all
        questions = [replace(question, messages=hide(question.messages)) for question in questions]
        fitting, limit = self._share(questions)
        questions = _first(questions, fitting)
        answers = sum(question.count for question in questions)
        most = Reservation(sum(most_prompt_tokens(each.messages) for each in questions), answers * limit, None)
        shared = model_session.engine_of(self.name)
        with (
            shared.lent(partial(self._load, questions[0].seed), self._check_time) as engine,
            budget.reserved(most) as (reservation, _),
        ):
            with shared.answering(self._check_time):
                outputs = self._chat(engine, questions, limit)
            self._settle([_usage_of(output) for output in outputs], reservation)
        model_session.report(EventKind.ANSWERED, self.name)
        found = [self._model_answers(*each) for each in zip(outputs, questions, strict=True)]
        if model_session.recording is not None:
            for question, given in zip(questions, found, strict=True):
                for number, answer in enumerate(given, 1):
                    used = dict(answer.usage) if answer.usage is not None else None
                    model_session.recording.append(question.place, number, answer, used)
        return found

    def _share(self, questions: Sequence[Question]) -> tuple[int, int]:
        """How many answers the caps allow to all questions together, and how many tokens each may have."""
        longest = self._model.max_tokens
        fitting, limit = self._model_session.budget.share(
            max((each.stored for each in questions), key=lambda usage: usage.most_tokens),
            sum(each.count for each in questions),
            max(most_prompt_tokens(each.messages) for each in questions),
            None,
            longest,
            max(each.least_output_tokens for each in questions),
        )
        return fitting, longest if limit is None else limit

    def _settle(self, used: Sequence[dict[str, Any] | None], reservation: Reservation) -> None:
        said = [each for each in used if each is not None]
        if len(said) < len(used):
            self._model_session.budget.settle_unsaid(reservation)
            return
        prompt_tokens = sum(each["prompt_tokens"] for each in said)
        self._model_session.budget.settle(
            reservation, prompt_tokens, sum(each["completion_tokens"] for each in said), None
        )

    def _check_time(self) -> None:
        """End what the engine does, or what is waited for, once the time is up or the run cancelled.

        Raises:
            CapReachedError: the time is up.
            CancelledError: the run was cancelled.
        """
        self._model_session.budget.left_s(math.inf)
        self._model_session.cancel.raise_if_cancelled()

    def _model_answers(self, output: Any, question: Question) -> list[ModelAnswer]:
        """What the engine gave, secret values hidden."""
        hide = self._model_session.scrub.hide
        return [
            ModelAnswer(
                hide(each.text),
                self.name,
                str(each.finish_reason or "stop"),
                hidden=question.hidden,
                usage=None if number else _usage_of(output),
                messages=question.messages,
            )
            for number, each in enumerate(output.outputs)
        ]

    def _chat(self, engine: Any, questions: Sequence[Question], limit: int) -> list[Any]:
        defaults = self._call("reading its settings", engine.get_default_sampling_params)
        model = replace(self._model, max_tokens=limit)
        params = [
            import_module("vllm").SamplingParams(**sampling_arguments(model, each, defaults)) for each in questions
        ]
        asked = [list(each.messages) for each in questions]
        outputs = self._call("answering", engine.chat, asked, params, use_tqdm=False, lora_request=self._lora_request())
        return list(outputs)

    def _load(self, seed: int) -> Any:
        self.check()
        for name, value in _ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        vllm = self._call("importing vLLM", import_module, "vllm")
        return self._call("loading the model", vllm.LLM, **engine_arguments(self._model, seed))

    def _lora_request(self) -> Any:
        adapter = self._model.adapter
        if adapter is None:
            return None
        return import_module("vllm.lora.request").LoRARequest("adapter", 1, adapter.folder)

    def _call(self, doing: str, function: Any, *arguments: Any, **options: Any) -> Any:
        """Call into vLLM, whose errors are of many kinds, and say in one line what failed.

        Raises:
            ProposerError: whatever went wrong there.
        """
        try:
            return function(*arguments, **options)
        except (CapReachedError, CancelledError):
            raise
        except Exception as error:  # CUDA, files, memory, prompts: each has kinds of its own
            line = " ".join(str(error).split())[:_MAX_MESSAGE_CHARS]
            raise ProposerError(
                f"{self.name} failed while {doing}: {type(error).__name__}: {line}. Check that this machine has a GPU "
                "with enough free memory, and the model's folder; a smaller ?max_model_len= needs less memory."
            ) from error

    def _proposal(self, answer: ModelAnswer, request: ProposalRequest) -> Proposal:
        proposal = proposal_of(answer, request.target, self.name, self._model_session.scrub, until=request.until)
        if answer.finish_reason == "length" and proposal.rewrite is None:
            return replace(proposal, error=f"{proposal.error} ?max_tokens= and ?max_model_len= set the limit.")
        return proposal


def _first(questions: Sequence[Question], answers: int) -> list[Question]:
    """The questions that so many answers are enough for; the last of them may have to do with fewer."""
    taken: list[Question] = []
    for question in questions:
        count = min(question.count, answers)
        if count > 0:
            taken.append(replace(question, count=count))
        answers -= count
    return taken


def _usage_of(output: Any) -> dict[str, Any] | None:
    """What the answers to one prompt used; None if the engine does not say."""
    prompt_tokens = known_tokens(len(getattr(output, "prompt_token_ids", None) or ()))
    completion_tokens = known_tokens(sum(len(getattr(each, "token_ids", None) or ()) for each in output.outputs))
    if not (prompt_tokens and completion_tokens):
        return None
    return {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, "cost_usd": None}


def engine_arguments(model: EngineModel, seed: int) -> dict[str, Any]:
    """The arguments of vLLM's `LLM`."""
    arguments: dict[str, Any] = {"model": model.base, "seed": seed}
    if model.max_model_len is not None:
        arguments["max_model_len"] = model.max_model_len
    if model.adapter is not None:
        arguments |= {"enable_lora": True, "max_loras": 1, "max_lora_rank": model.adapter.max_rank}
        if model.adapter.has_tokenizer:
            arguments["tokenizer"] = model.adapter.folder  # with the chat template that it was trained on
    return arguments


def sampling_arguments(model: EngineModel, question: Question, defaults: Any) -> dict[str, Any]:
    """The arguments of vLLM's `SamplingParams`; `defaults` are those that the model's folder recommends."""
    arguments: dict[str, Any] = {name: getattr(defaults, name) for name in _MODELS_OWN}
    if question.temperature is not None:
        arguments["temperature"] = question.temperature
    return arguments | {
        "n": question.count,
        "seed": question.seed,
        "max_tokens": model.max_tokens,
    }

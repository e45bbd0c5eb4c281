"""A proposer that asks a language model, any that LiteLLM can reach."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

from afterburner.agent.errors import ProposerError
from afterburner.agent.proposers.base import MODEL_EXAMPLES, Proposal
from afterburner.agent.proposers.context import describe_target
from afterburner.agent.proposers.from_answer import proposal_from
from afterburner.agent.proposers.prompt import build_prompt

if TYPE_CHECKING:
    from types import ModuleType

    from afterburner.agent.proposers.base import ProposalRequest
    from afterburner.agent.types import Target

_MAX_MESSAGE_CHARS = 300
_SECRET_ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD")


class LiteLLMProposer:
    """Asks a model for rewrites, `count` of them an iteration; reads answers strictly."""

    def __init__(
        self, model: str, *, timeout_s: float = 120.0, temperature: float | None = None, retries: int = 2
    ) -> None:
        """Name the model; `timeout_s` is for one request, `retries` says how often one is repeated if that may help."""
        self.name = model
        self._timeout_s = timeout_s
        self._temperature = temperature
        self._retries = retries

    def check(self) -> None:
        """Find out, without a request, whether the model can be asked at all.

        Raises:
            ProposerError: LiteLLM does not know the provider, or its key is not in the environment.
        """
        litellm = _litellm()
        name = self._route(litellm)[0]
        if not name:
            raise ProposerError(f"{self.name} names a provider and no model.")
        missing = litellm.validate_environment(self.name)["missing_keys"]
        if any(key.endswith(("API_KEY", "TOKEN")) for key in missing):  # addresses have defaults, clouds other logins
            local = " A local server takes any value." if os.environ.get("OPENAI_API_BASE") else ""
            raise ProposerError(f"{self.name} needs a key: set {' or '.join(missing)} in the environment.{local}")

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        """Ask for `request.count` answers; one that cannot be used comes back with its error.

        Raises:
            ProposerError: the model cannot be reached or refuses; the message says what to do.
        """
        messages = build_prompt(
            "Python",
            request.objective,
            describe_target(request.target),
            _solution(request.target),
            request.passed,
            request.measurement,
            request.counterexample,
        )
        seed = request.seed + 1000 * request.iteration
        return [self._proposal(choice, request.target) for choice in self._ask(messages, request.count, seed)]

    def _ask(self, messages: list[dict[str, str]], count: int, seed: int) -> list[Any]:
        """Collect `count` choices: in one request where the provider gives several, else in as many as it takes."""
        litellm = _litellm()
        name, provider = self._route(litellm)
        supported = litellm.get_supported_openai_params(model=name, custom_llm_provider=provider) or []
        choices: list[Any] = []
        while len(choices) < count:
            options: dict[str, Any] = {"seed": seed + len(choices)} if "seed" in supported else {}
            if "n" in supported and count - len(choices) > 1:
                options["n"] = count - len(choices)
            if self._temperature is not None:
                options["temperature"] = self._temperature
            got = self._complete(litellm, messages, options)
            if not got:
                break
            choices += got
        return choices[:count]

    def _complete(self, litellm: ModuleType, messages: list[dict[str, str]], options: dict[str, Any]) -> list[Any]:
        import tenacity  # noqa: PLC0415 - needed once a model is asked

        passing = (
            litellm.RateLimitError,
            litellm.APIConnectionError,
            litellm.InternalServerError,
            litellm.ServiceUnavailableError,
        )
        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(self._retries + 1),
            wait=tenacity.wait_random_exponential(multiplier=0.5, max=20),
            retry=tenacity.retry_if_exception_type(passing),
            reraise=True,
        )
        try:
            response = retrying(
                litellm.completion,
                model=self.name,
                messages=messages,
                timeout=self._timeout_s,
                max_retries=0,  # ours are the only ones
                drop_params=True,
                **options,
            )
        except Exception as error:  # noqa: BLE001 - LiteLLM lets the errors of many client libraries through
            raise ProposerError(self._explain(litellm, error)) from None
        return list(response.choices)

    def _route(self, litellm: ModuleType) -> tuple[str, str]:
        """Give the provider's name for the model, and the provider.

        Raises:
            ProposerError: LiteLLM knows no such provider.
        """
        try:
            name, provider, *_ = litellm.get_llm_provider(self.name)
        except litellm.BadRequestError:
            raise ProposerError(
                f"Unknown model {self.name!r}: LiteLLM knows no provider for it. Examples: {MODEL_EXAMPLES}."
            ) from None
        return str(name), str(provider)

    def _explain(self, litellm: ModuleType, error: Exception) -> str:
        """Say what went wrong and what to do about it, in one line without secrets."""
        advice = "Try again, or choose another model."
        for kind, text in (
            (litellm.AuthenticationError, "Check the key in the environment."),
            (litellm.PermissionDeniedError, "The key may not use this model."),
            (litellm.NotFoundError, "Check the name of the model and the address of its server."),
            (litellm.RateLimitError, "Wait, or ask for fewer candidates."),
            (litellm.Timeout, f"It did not answer within {self._timeout_s:g} s."),
            (litellm.ContextWindowExceededError, "The function is too long for it."),
            (litellm.BadRequestError, "It does not accept the request."),
            (
                litellm.InternalServerError,
                "Its server failed or cannot be reached: check its address, or try again later.",
            ),
            (litellm.APIConnectionError, "Check the network, and the address if you gave one."),
            (ImportError, "Install what the provider needs."),
        ):
            if isinstance(error, kind):
                advice = text
                break
        line = " ".join(str(error).split()) or type(error).__name__
        for name, value in os.environ.items():
            if name.upper().endswith(_SECRET_ENDINGS) and len(value) >= 8:
                line = line.replace(value, "…")
        return f"{self.name} cannot be used. {advice} ({line[:_MAX_MESSAGE_CHARS]})"

    def _proposal(self, choice: Any, target: Target) -> Proposal:
        if choice.finish_reason == "length":
            return Proposal(self.name, None, "", "The answer was cut off: the model's limit of tokens was reached.")
        return proposal_from(_answer_text(choice.message), target, self.name)


def _answer_text(message: Any) -> str:
    """Give the whole answer: LiteLLM takes `<thinking>…</thinking>` out of the content, as it does with reasoning."""
    content = message.content or ""
    reasoning = getattr(message, "reasoning_content", None)
    if reasoning and "<thinking>" not in content:
        return f"<thinking>{reasoning}</thinking>{content}"
    return content


def _solution(target: Target) -> str:
    from afterburner.agent.targets.locate import function_source  # noqa: PLC0415 - brings what locates files

    return function_source(target)


def _litellm() -> ModuleType:
    """Import LiteLLM so that it fetches nothing, reads no `.env` file and prints nothing."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    import litellm  # noqa: PLC0415 - takes seconds

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "litellm"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm

"""What a model gave, as it is cached, recorded and replayed; and the proposal that is made of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from afterburner.agent.code.additions import RewriteError
from afterburner.agent.code.foreign_code import attempted
from afterburner.agent.code.locate import function_source
from afterburner.agent.models.prompts.proposer import Proposal
from afterburner.agent.models.prompts.reading_answers import MAX_ANSWER_CHARS, proposal_from
from afterburner.agent.models.requests.quoted import quoted_text
from afterburner.agent.models.requests.secrets import damaged
from afterburner.agent.types import AnswerRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.models.requests.secrets import Scrubber
    from afterburner.agent.types import Rewrite, Target

_CUT_OFF = "length"


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """One answer. `error` says why there is none, and `content` is empty then.

    `reasoning` are thoughts that came apart from it; LiteLLM takes `<thinking>…</thinking>` out of the content, too.
    """

    content: str
    model: str
    finish_reason: str = "stop"
    error: str = ""
    reasoning: str = ""
    hidden: bool = False  # whether a secret value was hidden in what was asked
    usage: Mapping[str, Any] | None = None  # tokens and US dollars of its request, with the first answer of it
    cached: bool = False  # whether it is a stored one
    messages: tuple[Mapping[str, str], ...] = ()  # the prompt as sent

    @property
    def whole(self) -> str:
        """The text with the thoughts that came apart from it back between the tags of the answer format."""
        if not self.reasoning or "<thinking>" in self.content:
            return self.content
        return f"<thinking>{self.reasoning}</thinking>{self.content}"

    @property
    def record(self) -> AnswerRecord:
        """What evaluation and training need of it."""
        used = self.usage or {}
        return AnswerRecord(
            self.model,
            self.messages,
            self.content,
            self.finish_reason,
            used.get("prompt_tokens"),
            used.get("completion_tokens"),
            used.get("cost_usd"),
            self.cached,
        )


def proposal_of(
    answer: ModelAnswer, target: Target, proposer: str, scrub: Scrubber, *, until: Deadline | None = None
) -> Proposal:
    """Make the proposal of an answer, in its code the secret values put back that the target's file holds.

    One that cannot be used says why. `until` is when the run ends, and long answers are no longer read; None: never.
    """
    if answer.error:
        return Proposal(proposer, None, error=answer.error, answer=answer.record, unanswered=True)
    cut_off = answer.finish_reason == _CUT_OFF
    text = scrub.restore(answer.content, target.source)
    made = proposal_from(text, target, proposer, reasoning=answer.reasoning, cut_off=cut_off, until=until)
    if made.rewrite is not None:
        check = partial(_check_values, made.rewrite, target, scrub, hidden=answer.hidden)
        try:
            attempted(check, "searched for hidden values")
        except RewriteError as error:
            made = replace(made, rewrite=None, error=str(error))
    return replace(made, reasoning=scrub(made.reasoning), error=scrub(made.error), answer=answer.record)


def _check_values(rewrite: Rewrite, target: Target, scrub: Scrubber, *, hidden: bool) -> None:
    """Refuse an answer that lost a hidden value which the user's code needs.

    Raises:
        RewriteError: what it did to the value.
    """
    code = "\n".join((*rewrite.imports, *rewrite.helpers, rewrite.function))
    held = scrub.held(target.source)
    if damaged(code, target.source, hidden=hidden or bool(held)):
        raise RewriteError(
            "The answer changes the stand-in of a secret value, so that the value cannot be put back. Code is sent "
            "without the values of the environment's secrets."
        )
    if held:
        quoted = quoted_text(function_source(target), target.language)
        left = quoted_text(code, target.language)
        if any(value not in left for value in scrub.held(quoted)):
            raise RewriteError(
                "The answer leaves out a string of the original that was hidden from it, as it holds a secret value."
            )


def answers_of(response: Any, model: str, hide: Callable[[str], str], *, hidden: bool) -> list[ModelAnswer]:
    """Take the answers out of LiteLLM's response, secret values hidden; `hidden`: in what was asked there were some."""
    return [
        ModelAnswer(
            hide(str(choice.message.content or "")[: MAX_ANSWER_CHARS + 1]),
            model,
            str(choice.finish_reason or "stop"),
            reasoning=hide(str(getattr(choice.message, "reasoning_content", None) or "")[:MAX_ANSWER_CHARS]),
            hidden=hidden,
        )
        for choice in response.choices
    ]


def to_body(answers: Sequence[ModelAnswer]) -> str:
    """Write answers for the cache."""
    return json.dumps([_stored(answer) for answer in answers])


def _stored(answer: ModelAnswer) -> dict[str, Any]:
    """What the cache keeps: never a prompt."""
    return {name: value for name, value in asdict(answer).items() if name not in {"messages", "cached"}}


def from_body(body: str) -> list[ModelAnswer]:
    """Read what `to_body` has written; before it wrote `hidden`, something may have been."""
    return [ModelAnswer(**{"hidden": True} | fields) for fields in json.loads(body)]

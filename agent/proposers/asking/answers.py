"""What a model gave, as it is cached, recorded and replayed; and the proposal that is made of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from afterburner.agent.proposers.base import Proposal
from afterburner.agent.proposers.from_answer import proposal_from

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.proposers.asking.secrets import Scrubber
    from afterburner.agent.types import Target

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


def proposal_of(answer: ModelAnswer, target: Target, proposer: str, scrub: Scrubber) -> Proposal:
    """Make the proposal of an answer; one that cannot be used says why.

    Args:
        answer: what a model gave.
        target: what it has to rewrite.
        proposer: whose answer it is.
        scrub: took secret values out of what was asked, and out of the answer.
    """
    if answer.error:
        return Proposal(proposer, None, error=answer.error)
    cut_off = answer.finish_reason == _CUT_OFF
    reasoning = answer.reasoning
    return proposal_from(answer.content, target, proposer, reasoning=reasoning, cut_off=cut_off, scrub=scrub)


def answers_of(response: Any, model: str, scrub: Callable[[str], str]) -> list[ModelAnswer]:
    """Take the answers out of LiteLLM's response, secret values scrubbed."""
    return [
        ModelAnswer(
            scrub(str(choice.message.content or "")),
            model,
            str(choice.finish_reason or "stop"),
            reasoning=scrub(str(getattr(choice.message, "reasoning_content", None) or "")),
        )
        for choice in response.choices
    ]


def to_body(answers: Sequence[ModelAnswer]) -> str:
    """Write answers for the cache."""
    return json.dumps([asdict(answer) for answer in answers])


def from_body(body: str) -> list[ModelAnswer]:
    """Read what `to_body` has written."""
    return [ModelAnswer(**fields) for fields in json.loads(body)]

"""From a model's answer to a proposal: format, then code, then what of it is the target's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.errors import ProposerError
from afterburner.agent.proposers.answer import parse_answer
from afterburner.agent.proposers.base import Proposal

if TYPE_CHECKING:
    from afterburner.agent.types import Target


def proposal_from(text: str, target: Target, proposer: str) -> Proposal:
    """Turn an answer into a proposal; one that cannot be used says why, and keeps the reasoning if there is any."""
    from afterburner.agent.targets.splice import parse_answer_code  # noqa: PLC0415 - brings libcst

    reasoning = ""
    try:
        answer = parse_answer(text)
        reasoning = answer.thinking
        return Proposal(proposer, parse_answer_code(answer.code, target), reasoning)
    except ProposerError as error:
        return Proposal(proposer, None, reasoning, str(error))

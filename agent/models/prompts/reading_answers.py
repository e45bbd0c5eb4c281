"""From a model's answer to a proposal: format, then code, then what of it is the target's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.code.splice import parse_answer_code
from afterburner.agent.errors import ProposerError
from afterburner.agent.models.prompts.lenient_reading import Wanted, read_answer
from afterburner.agent.models.prompts.proposer import Proposal

if TYPE_CHECKING:
    from afterburner.agent.types import Target

MAX_ANSWER_CHARS = 200_000  # more than any model writes in one answer; looking for tags takes the square of it


def proposal_from(
    text: str, target: Target, proposer: str, *, reasoning: str = "", cut_off: bool = False, strict: bool = False
) -> Proposal:
    """Turn an answer into a proposal; one that cannot be used says why, and keeps the reasoning if there is any.

    Args:
        text: the answer.
        target: what it has to rewrite.
        proposer: whose answer it is.
        reasoning: thoughts that came apart from the answer.
        cut_off: whether the model's limit of tokens ended the answer.
        strict: take nothing that breaks the answer format.
    """
    thinking, form = reasoning, ""
    if len(text) > MAX_ANSWER_CHARS:
        return Proposal(proposer, None, thinking, f"The answer is longer than {MAX_ANSWER_CHARS:,} characters.")
    try:
        answer = read_answer(
            text, Wanted(target.function, target.language), strict=strict, reasoning=reasoning, cut_off=cut_off
        )
        thinking, form = answer.thinking, answer.form
        return Proposal(proposer, parse_answer_code(answer.code, target), thinking, answer_form=form)
    except ProposerError as error:
        return Proposal(proposer, None, thinking, str(error), form)
    except RecursionError:
        return Proposal(proposer, None, thinking, "The answer's code is nested too deeply to be taken apart.", form)

"""From a model's answer to a proposal: format, then code, then what of it is the target's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.code.foreign_code import attempted
from afterburner.agent.code.splice import parse_answer_code
from afterburner.agent.errors import ProposerError
from afterburner.agent.models.prompts.lenient_reading import Wanted, read_answer
from afterburner.agent.models.prompts.proposer import Proposal
from afterburner.agent.models.prompts.trial_reading import try_reading

if TYPE_CHECKING:
    from afterburner.agent.deadline import Deadline
    from afterburner.agent.types import Target

MAX_ANSWER_CHARS = 200_000  # more than any model writes in one answer


def proposal_from(
    text: str,
    target: Target,
    proposer: str,
    *,
    reasoning: str = "",
    cut_off: bool = False,
    strict: bool = False,
    until: Deadline | None = None,
) -> Proposal:
    """Turn an answer into a proposal; one that cannot be used says why, and keeps the reasoning if there is any.

    Args:
        text: the answer.
        target: what it has to rewrite.
        proposer: whose answer it is.
        reasoning: thoughts that came apart from the answer.
        cut_off: whether the model's limit of tokens ended the answer.
        strict: take nothing that breaks the answer format.
        until: the end of the run, by which a long answer has to be read; None: there is none.
    """
    if len(text) > MAX_ANSWER_CHARS:
        return Proposal(proposer, None, reasoning, f"The answer is longer than {MAX_ANSWER_CHARS:,} characters.")
    thinking, form = reasoning, ""
    wanted = Wanted(target.function, target.language)
    how = {"strict": strict, "reasoning": reasoning, "cut_off": cut_off}
    try:
        try_reading(text, target, how, until=until)
        answer = attempted(
            lambda: read_answer(text, wanted, strict=strict, reasoning=reasoning, cut_off=cut_off), "read"
        )
        thinking, form = answer.thinking, answer.form
        rewrite = attempted(lambda: parse_answer_code(answer.code, target), "taken apart")
    except ProposerError as error:
        return Proposal(proposer, None, thinking, str(error), form)
    return Proposal(proposer, rewrite, thinking, answer_form=form)

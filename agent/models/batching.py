"""Proposals and answers for many requests at once, whoever gives them: evaluation and training have thousands."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from afterburner.agent.models.requests.parallel import MOST_REQUESTS_AT_ONCE, at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest, Proposer
    from afterburner.agent.models.requests.model_answers import ModelAnswer
    from afterburner.agent.models.requests.prompt_request import Answerer, PromptRequest

_BATCH = 256  # prompts at a time for an engine: what it has answered is kept after each batch


def propose_batch(proposer: Proposer, requests: Sequence[ProposalRequest]) -> list[list[Proposal]]:
    """Give the proposals for each request, in the order of the requests.

    A proposer with a method `propose_batch` of its own, as vLLM's engine has, takes all in one go. Of any other,
    several requests are under way side by side, within the same caps.

    Raises:
        ProposerError: the model, its key or the recording is unusable.
    """
    own = getattr(proposer, "propose_batch", None)
    if own is not None:
        found: list[list[Proposal]] = own(requests)
        return found
    widest = max((request.count for request in requests), default=1)  # each may ask for its answers side by side
    jobs = [partial(proposer.propose, request) for request in requests]
    return at_once(jobs, max(MOST_REQUESTS_AT_ONCE // max(widest, 1), 1))


def answer_each(
    answerer: Answerer,
    requests: Sequence[PromptRequest],
    keep: Callable[[PromptRequest, list[ModelAnswer]], object],
    *,
    most: int = MOST_REQUESTS_AT_ONCE,
) -> None:
    """Ask for the answers to each prompt, and hand them on as soon as they are there.

    The asking ends with the first prompt that gets none, for then a cap is reached or a recording is at its end.

    Args:
        answerer: whom to ask. One with a method `answer_batch`, as vLLM's engine has, takes many prompts in one go.
        requests: the prompts.
        keep: receives each prompt with its answers; several threads call it.
        most: prompts under way at a time.

    Raises:
        ProposerError: the model, its key or the recording is unusable. No further prompt is begun then.
    """
    own = getattr(answerer, "answer_batch", None)
    if own is not None:
        for start in range(0, len(requests), _BATCH):
            batch = requests[start : start + _BATCH]
            found: list[list[ModelAnswer]] = own(batch)
            for request, answers in zip(batch, found, strict=True):
                keep(request, answers)
            if not all(found):
                return
        return
    ended = threading.Event()

    def ask(request: PromptRequest) -> None:
        if ended.is_set():
            return
        try:
            answers = answerer.answer(request)
        except BaseException:
            ended.set()
            raise
        keep(request, answers)
        if not answers:
            ended.set()

    at_once([partial(ask, request) for request in requests], most)

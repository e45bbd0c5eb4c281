"""Proposals for many requests at once, whoever proposes: evaluation and training have thousands."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from afterburner.agent.models.requests.parallel import MOST_REQUESTS_AT_ONCE, at_once

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest, Proposer


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
